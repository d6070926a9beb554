import { randomUUID } from 'node:crypto'
import { createWriteStream, type Dirent } from 'node:fs'
import {
  access,
  constants,
  type FileHandle,
  link,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  rmdir,
  stat,
  unlink,
} from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { once } from '@prelude/platform'
import type { BlobInfo, BlobStore } from './port.ts'
import { exactly } from './exact-size.ts'
import { FileStream } from './file-stream.ts'
import { assertObjectPath, isObjectPath } from './object-path.ts'

/** Cannot be an object's folder: segments of a path never begin with a dot. */
const TEMPORARY = '.tmp'
const LEFT_BEHIND_AFTER_MS = 24 * 60 * 60 * 1000
const LISTED_AT_ONCE = 64

/**
 * Objects as plain files below `root`. A put writes beside the objects, syncs and renames, so that an object is there
 * whole or not at all, also after a loss of power. One path cannot be both an object and the folder of others.
 */
export function folderBlobs({ root }: { root: string }): BlobStore {
  const temporary = join(root, TEMPORARY)
  const ready = once(() => prepare(temporary))
  /** Errors: not an object path. */
  const fileOf = (path: string): string => {
    assertObjectPath(path)
    return join(root, path)
  }

  /** `write` makes the file beside the objects; it is moved to its place when it is whole. */
  const putAs = async (
    path: string,
    signal: AbortSignal | undefined,
    write: (unfinished: string) => Promise<void>,
  ): Promise<void> => {
    const unfinished = join(temporary, randomUUID())
    try {
      const target = fileOf(path)
      await ready()
      await write(unfinished)
      signal?.throwIfAborted()
      await moveInto(target, unfinished)
    } catch (error) {
      await rm(unfinished, { force: true })
      throw error
    }
  }

  const put: BlobStore['put'] = async (path, source, { sizeBytes, signal }) => {
    try {
      await putAs(path, signal, (unfinished) =>
        pipeline(source, exactly(sizeBytes), createWriteStream(unfinished, { flags: 'wx', flush: true }), {
          ...(signal && { signal }),
        }),
      )
    } finally {
      source.destroy()
    }
  }

  return {
    put,

    putFile: async (path, file, options) => {
      try {
        await putAs(path, options.signal, (unfinished) => linkWhole(file, unfinished, options.sizeBytes))
      } catch (error) {
        if (!isOnAnotherDisk(error)) throw error
        await put(path, (await open(file)).createReadStream(), options)
      }
    },

    get: async (path, range) => {
      const file = await openObject(fileOf(path))
      return file && new FileStream(file, range)
    },

    head: async (path) => infoOf(path, fileOf(path)),

    delete: async (path) => {
      const file = fileOf(path)
      await unlink(file).catch((error: unknown) => {
        if (!isMissing(error)) throw error
      })
      await removeEmptyFolders(root, dirname(file))
    },

    list: (prefix) => list(root, prefix),

    publicUrl: async () => null,

    ping: async () => {
      await mkdir(root, { recursive: true })
      await access(root, constants.R_OK | constants.W_OK)
    },

    close: async () => {},
  }
}

/** The same file under another name. Errors: it is missing or not of this size, EXDEV and the like. */
async function linkWhole(file: string, unfinished: string, sizeBytes: number): Promise<void> {
  await link(file, unfinished)
  const { size } = await stat(unfinished)
  if (size !== sizeBytes) throw new Error(`the file has ${size} bytes, not ${sizeBytes}`)
}

/** Or in a file system without links. */
const isOnAnotherDisk = (error: unknown): boolean =>
  ['EXDEV', 'EPERM', 'ENOTSUP', 'EMLINK'].includes((error as NodeJS.ErrnoException).code ?? '')

/** Also clears the files that puts of a killed process left. */
async function prepare(temporary: string): Promise<void> {
  await mkdir(temporary, { recursive: true })
  for (const name of await readdir(temporary)) {
    const file = join(temporary, name)
    const found = await stat(file).catch((error: unknown) => {
      if (isMissing(error)) return null // the put of another store that has ended meanwhile
      throw error
    })
    if (found && found.mtimeMs < Date.now() - LEFT_BEHIND_AFTER_MS) await rm(file, { force: true })
  }
}

/** The folder is made when it is missing; a delete beside us may remove it as often as it is made, until the object is in it. */
async function moveInto(target: string, unfinished: string): Promise<void> {
  for (;;) {
    try {
      await rename(unfinished, target)
      break
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
    await access(unfinished)
    await makeFolder(dirname(target))
  }
  await syncFolder(dirname(target))
}

async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error // else a folder above was removed while those below were made
  })
}

/** Without this a loss of power can undo the rename. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder).catch((error: unknown) => {
    if (isMissing(error)) return null // the object and its folder were deleted meanwhile
    throw error
  })
  try {
    await handle?.sync()
  } finally {
    await handle?.close()
  }
}

async function openObject(file: string): Promise<FileHandle | null> {
  try {
    const handle = await open(file)
    if ((await handle.stat()).isFile()) return handle
    await handle.close()
    return null
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

async function infoOf(path: string, file: string): Promise<BlobInfo | null> {
  try {
    const found = await stat(file)
    if (!found.isFile()) return null
    return { path, sizeBytes: found.size, modifiedAt: Math.round(found.mtimeMs) }
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

async function removeEmptyFolders(root: string, folder: string): Promise<void> {
  for (let current = folder; current.startsWith(root + sep); current = dirname(current)) {
    try {
      await rmdir(current)
    } catch {
      return // not empty, or gone already
    }
  }
}

async function* list(root: string, prefix: string): AsyncGenerator<BlobInfo> {
  const folder = prefix.slice(0, Math.max(0, prefix.lastIndexOf('/')))
  if (folder !== '') assertObjectPath(folder)
  for await (const info of objectsBelow(root, folder)) if (info.path.startsWith(prefix)) yield info
}

/** Many at a time: a store of songs is a hundred thousand folders of two files. */
async function* objectsBelow(root: string, folder: string): AsyncGenerator<BlobInfo> {
  const entries = await entriesOf(join(root, folder))
  const read = async (entry: Dirent): Promise<BlobInfo[]> => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (!isObjectPath(path)) return []
    if (entry.isDirectory()) return Array.fromAsync(objectsBelow(root, path))
    const info = entry.isFile() ? await infoOf(path, join(root, path)) : null
    return info ? [info] : []
  }
  for (let from = 0; from < entries.length; from += LISTED_AT_ONCE)
    yield* (await Promise.all(entries.slice(from, from + LISTED_AT_ONCE).map(read))).flat()
}

const entriesOf = (folder: string): Promise<Dirent[]> =>
  readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if (isMissing(error)) return [] // deleted while we walk
    throw error
  })

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
