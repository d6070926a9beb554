import { type FileHandle, open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Worker } from 'node:worker_threads'
import { AppError } from '@prelude/platform'

/** About how many bytes are sent to the worker at once. */
const BATCH_BYTES = 1024 * 1024
/** Smaller chunks are copied: they may be buffers that the form parser fills again. */
const OWN_BYTES = 4 * 1024

export interface Task {
  readonly number: number
  readonly file: number
  readonly fd: number
  /** To be written. Each is in memory of its own, which belongs to the worker from now on. */
  readonly pieces: readonly Uint8Array<ArrayBuffer>[]
  /** Bytes that are in the file already: so many, from where the last task ended. */
  readonly reads: number
  readonly next: 'continue' | 'finish' | 'abandon'
}

export interface Answer {
  readonly number: number
  /** Of a finished file. */
  readonly sha256?: string | undefined
  readonly error?: unknown
}

/** A file with its size and SHA-256. */
export interface HashedFile {
  readonly sizeBytes: number
  readonly sha256: string
  /** Resolves when the bytes would survive a loss of power. Errors: upload_failed. */
  readonly onDisk: Promise<void>
}

/**
 * Hashes files in a worker thread: those of forms while it writes them, finished resumable uploads as they lie on the disk. The
 * bytes of a form are transferred to it, not copied: as garbage of the main thread they would make V8 collect its whole heap for
 * each 64 MB, which cost as much as all the rest of an upload.
 */
interface FileHasher {
  /** To a new file. Nobody else may use the source's chunks. Errors: the source's; upload_failed for the disk's. */
  write(source: Readable, file: string): Promise<HashedFile>
  /** Of a file that is whole already. Errors: upload_failed. */
  read(file: string): Promise<HashedFile>
  close(): Promise<void>
}

type Ask = (task: Omit<Task, 'number'>) => Promise<string | undefined>

/** An open file in the hands of one worker: another would not have hashed its beginning. */
interface Work {
  readonly handle: FileHandle
  readonly file: number
  readonly ask: Ask
}

export function createFileHasher(): FileHasher {
  let worker: HashWorker | undefined
  let files = 0
  const hashed = async (
    file: string,
    flags: 'r' | 'wx',
    hash: (work: Work) => Promise<Omit<HashedFile, 'onDisk'>>,
  ): Promise<HashedFile> => {
    if (!worker?.isAlive()) worker = startWorker()
    const { ask } = worker
    const handle = await open(file, flags).catch(failed)
    try {
      return { ...(await hash({ handle, file: files++, ask })), onDisk: syncAndClose(handle) }
    } catch (error) {
      await handle.close()
      throw error
    }
  }
  return {
    write: (source, file) => {
      source.on('error', () => {}) // it may break off before the file is open; the pipeline rejects with that later
      return hashed(file, 'wx', (work) => writeTo(work, source))
    },
    read: (file) => hashed(file, 'r', readFrom),
    close: async () => {
      await worker?.end()
    },
  }
}

/** Begins at once; the caller awaits it when it has done what can be done meanwhile. */
function syncAndClose(handle: FileHandle): Promise<void> {
  const sync = async (): Promise<void> => {
    try {
      await handle.sync()
    } catch (error) {
      failed(error)
    } finally {
      await handle.close()
    }
  }
  const synced = sync()
  synced.catch(() => {}) // a placement that failed otherwise does not await it
  return synced
}

const failed = (cause: unknown): never => {
  throw new AppError('upload_failed', { cause })
}

/** One batch is collected while the previous one is written. */
async function writeTo(
  { handle: { fd }, file, ask }: Work,
  source: Readable,
): Promise<Omit<HashedFile, 'onDisk'>> {
  let sizeBytes = 0
  let pieces: Uint8Array<ArrayBuffer>[] = []
  let collected = 0
  let writing: Promise<string | undefined> = Promise.resolve(undefined)
  const write = async (next: Task['next']): Promise<void> => {
    await writing
    writing = ask({ file, fd, pieces, reads: 0, next }).catch(failed)
    writing.catch(() => {}) // the next write rejects with it
    sizeBytes += collected
    pieces = []
    collected = 0
  }
  const take = async (chunks: AsyncIterable<Buffer<ArrayBuffer>>): Promise<void> => {
    for await (const chunk of chunks) {
      collected += chunk.length
      pieces.push(ownMemory(chunk))
      if (collected >= BATCH_BYTES) await write('continue')
    }
    await write('finish')
  }
  let taking: Promise<void> | undefined
  try {
    await pipeline(source, (chunks) => (taking = take(chunks as AsyncIterable<Buffer<ArrayBuffer>>)))
    return { sizeBytes, sha256: (await writing) as string }
  } catch (error) {
    // no write may follow the close: the descriptor may be another file's by then
    await taking?.catch(() => {})
    await ask({ file, fd, pieces: [], reads: 0, next: 'abandon' }).catch(() => {})
    throw error
  }
}

/** A batch at a time, so that files that come in meanwhile do not wait for a large one. */
async function readFrom({ handle, file, ask }: Work): Promise<Omit<HashedFile, 'onDisk'>> {
  const { fd } = handle
  try {
    const { size: sizeBytes } = await handle.stat()
    let left = sizeBytes
    for (; left > BATCH_BYTES; left -= BATCH_BYTES)
      await ask({ file, fd, pieces: [], reads: BATCH_BYTES, next: 'continue' })
    return { sizeBytes, sha256: (await ask({ file, fd, pieces: [], reads: left, next: 'finish' })) as string }
  } catch (error) {
    await ask({ file, fd, pieces: [], reads: 0, next: 'abandon' }).catch(() => {})
    return failed(error)
  }
}

/** The chunk where it is all that its memory holds, as it is from a socket; else a copy. */
function ownMemory(chunk: Buffer<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const { length, buffer } = chunk
  if (buffer.detached) failed(new Error('a chunk of an upload came twice'))
  return length >= OWN_BYTES && length === buffer.byteLength ? chunk : new Uint8Array(chunk)
}

interface HashWorker {
  readonly ask: Ask
  isAlive(): boolean
  end(): Promise<unknown>
}

function startWorker(): HashWorker {
  const worker = new Worker(new URL('./worker.ts', import.meta.url))
  worker.unref()
  const waiting = new Map<number, PromiseWithResolvers<string | undefined>>()
  let number = 0
  let died: Error | undefined
  const fail = (error: Error): void => {
    died ??= error
    for (const { reject } of waiting.values()) reject(died)
    waiting.clear()
  }
  worker.on('error', fail)
  worker.on('exit', (code) => fail(new Error(`the worker that writes ended with ${code}`)))
  worker.on('message', (answer: Answer) => {
    const asked = waiting.get(answer.number)
    waiting.delete(answer.number)
    if (answer.error) asked?.reject(answer.error)
    else asked?.resolve(answer.sha256)
  })
  return {
    ask: (task) => {
      if (died) return Promise.reject(died)
      const answered = Promise.withResolvers<string | undefined>()
      waiting.set(++number, answered)
      const memory = task.pieces.map(({ buffer }) => buffer)
      worker.postMessage({ ...task, number } satisfies Task, memory)
      return answered.promise
    },
    isAlive: () => !died,
    end: () => worker.terminate(),
  }
}
