import { mkdir, readdir, readFile, rm, rmdir, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { AppError, isId } from '@prelude/platform'
import { createFileHasher, type HashedFile } from './file-hasher/file-hasher.ts'

/** A file in the staging folder, with its size and hash. */
export interface StagedFile extends HashedFile {
  readonly file: string
  /** As the sender gave it; not yet sanitised. */
  readonly givenName: string | null
}

/** The folder of files that are not judged yet: `placements/<id>/…`, and resumable uploads in `uploads/`. */
export interface Staging {
  readonly uploadsDir: string
  /** Creates the folder of one placement. */
  openFolder(id: string): Promise<string>
  removeFolder(id: string): Promise<void>
  /** Writes the source to a file, with its size and hash. Errors: the source's; upload_failed for the disk's. */
  stage: Stage
  /** Of a file in the folder of a placement. Errors: upload_failed. */
  read(file: string): Promise<HashedFile>
  /** Before the first placement begins: removes the folders of those that a crash interrupted. */
  removeInterrupted(): Promise<void>
  /** A finished resumable upload, with its size and hash. Errors: upload_not_found, upload_not_finished, upload_failed. */
  finishedUpload(id: string): Promise<StagedFile>
  /** Removes files that were not changed since then. */
  removeOlderThan(before: number): Promise<number>
  close(): Promise<void>
}

export type Stage = (source: Readable, file: string, givenName: string | null) => Promise<StagedFile>

export function createStaging(dir: string): Staging {
  const placements = join(dir, 'placements')
  const uploadsDir = join(dir, 'uploads')
  const hasher = createFileHasher()
  return {
    uploadsDir,
    openFolder: async (id) => {
      await mkdir(join(placements, id), { recursive: true })
      return join(placements, id)
    },
    removeFolder: (id) => removeFolder(join(placements, id)),
    read: (file) => hasher.read(file),
    removeInterrupted: () => rm(placements, { recursive: true, force: true }),
    stage: async (source, file, givenName) => ({ file, givenName, ...(await hasher.write(source, file)) }),
    finishedUpload: async (id) => {
      const file = join(uploadsDir, id)
      const info = isId(id) ? await readInfo(`${file}.json`) : null
      const size = info && (await sizeOf(file))
      if (!info || size === null) throw new AppError('upload_not_found')
      if (info.size !== size) throw new AppError('upload_not_finished')
      return { file, givenName: info.name, ...(await hasher.read(file)) }
    },
    removeOlderThan: async (before) =>
      (await removeOld(placements, before)) + (await removeOld(uploadsDir, before)),
    close: () => hasher.close(),
  }
}

/** The folder holds files only; a recursive removal would take twice as many calls. */
async function removeFolder(folder: string): Promise<void> {
  try {
    await Promise.all((await readdir(folder)).map((name) => unlink(join(folder, name))))
    await rmdir(folder)
  } catch {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Length and name of a resumable upload, from the record of the tus server. */
async function readInfo(file: string): Promise<{ size: number; name: string | null } | null> {
  try {
    const info = JSON.parse(await readFile(file, 'utf8')) as {
      size?: number
      metadata?: { filename?: string | null }
    }
    return { size: info.size ?? -1, name: info.metadata?.filename ?? null }
  } catch {
    return null
  }
}

async function sizeOf(file: string): Promise<number | null> {
  try {
    return (await stat(file)).size
  } catch {
    return null
  }
}

async function removeOld(folder: string, before: number): Promise<number> {
  let removed = 0
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name)
    const found = await stat(path).catch(() => null)
    if (!found || found.mtimeMs > before) continue
    await rm(path, { recursive: true, force: true })
    removed++
  }
  return removed
}
