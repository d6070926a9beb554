import { type FileHandle, open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Worker } from 'node:worker_threads'
import { AppError } from '@prelude/platform'

const BUFFER_BYTES = 512 * 1024
/** Buffers kept for reuse. */
const MAX_SPARE = 8

export interface Task {
  readonly number: number
  readonly file: number
  readonly fd: number
  /** Shared with the worker, and not changed here until it has answered. */
  readonly bytes?: Uint8Array
  readonly next: 'continue' | 'finish' | 'abandon'
}

export interface Answer {
  readonly number: number
  /** Of a finished file. */
  readonly sha256?: string | undefined
  readonly error?: unknown
}

export interface Written {
  readonly sizeBytes: number
  readonly sha256: string
  /** Resolves when the bytes would survive a loss of power. Errors: upload_failed. */
  readonly onDisk: Promise<void>
}

/** Writes uploads to files and hashes them in a worker thread; the main thread only copies their bytes. */
export interface FileHasher {
  /** To a new file. Errors: the source's; upload_failed for the disk's. */
  write(source: Readable, file: string): Promise<Written>
  close(): Promise<void>
}

type Ask = (task: Omit<Task, 'number'>) => Promise<string | undefined>

export function createFileHasher(): FileHasher {
  let worker: HashWorker | undefined
  let files = 0
  const spare: Uint8Array[] = []
  const pool: BufferPool = {
    take: () => spare.pop() ?? new Uint8Array(new SharedArrayBuffer(BUFFER_BYTES)),
    give: (buffer) => {
      if (spare.length < MAX_SPARE) spare.push(buffer)
    },
  }
  return {
    write: async (source, file) => {
      if (!worker?.isAlive()) worker = startWorker()
      const { ask } = worker // for the whole file: a new worker would not have hashed its beginning
      const handle = await open(file, 'wx').catch(failed)
      try {
        const written = await writeTo({ handle, file: files++, ask, pool }, source)
        return { ...written, onDisk: syncAndClose(handle) }
      } catch (error) {
        await handle.close()
        throw error
      }
    },
    close: async () => {
      await worker?.end()
    },
  }
}

/** Begins at once; the caller awaits it when it has done what can be done meanwhile. */
export function syncAndClose(handle: FileHandle): Promise<void> {
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

interface BufferPool {
  take(): Uint8Array
  give(buffer: Uint8Array): void
}

/** One buffer is filled while the previous one is written. */
async function writeTo(
  { handle: { fd }, file, ask, pool }: { handle: FileHandle; file: number; ask: Ask; pool: BufferPool },
  source: Readable,
): Promise<Omit<Written, 'onDisk'>> {
  let sizeBytes = 0
  let buffer = pool.take()
  let filled = 0
  let writing: Promise<string | undefined> = Promise.resolve(undefined)
  const write = async (next: Task['next']): Promise<void> => {
    await writing
    const full = buffer
    sizeBytes += filled
    writing = ask({ file, fd, bytes: full.subarray(0, filled), next }).catch(failed)
    writing.then(
      () => pool.give(full),
      () => {}, // the next write rejects with it
    )
    buffer = pool.take()
    filled = 0
  }
  const take = async (chunks: AsyncIterable<Buffer>): Promise<void> => {
    for await (const chunk of chunks)
      for (let taken = 0; taken < chunk.length;) {
        const copied = chunk.copy(buffer, filled, taken)
        taken += copied
        filled += copied
        if (filled === buffer.length) await write('continue')
      }
    await write('finish')
  }
  let taking: Promise<void> | undefined
  try {
    await pipeline(source, (chunks) => (taking = take(chunks as AsyncIterable<Buffer>)))
    return { sizeBytes, sha256: (await writing) as string }
  } catch (error) {
    // no write may follow the close: the descriptor may be another file's by then
    await taking?.catch(() => {})
    await ask({ file, fd, next: 'abandon' }).catch(() => {})
    throw error
  } finally {
    pool.give(buffer)
  }
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
      worker.postMessage({ ...task, number } satisfies Task)
      return answered.promise
    },
    isAlive: () => !died,
    end: () => worker.terminate(),
  }
}
