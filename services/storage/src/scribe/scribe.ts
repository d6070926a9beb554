import { type FileHandle, open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Worker } from 'node:worker_threads'

const PIECE_BYTES = 512 * 1024
/** That wait for whoever comes next. */
const MOST_SPARE = 8

export interface Task {
  readonly number: number
  readonly file: number
  readonly fd: number
  /** Shared with the thread, and not touched until it has answered. */
  readonly bytes?: Uint8Array
  readonly then: 'go on' | 'finish' | 'forget'
}

export interface Answer {
  readonly number: number
  /** Of a file that is finished. */
  readonly sha256?: string | undefined
  readonly error?: unknown
}

export interface Written {
  readonly sizeBytes: number
  readonly sha256: string
}

/** Writes what comes from the network to files and hashes it, in a thread: here it is only copied. */
export interface Scribe {
  /** To a file that is not there yet. Errors: the source's, the disk's, the signal's. */
  write(source: Readable, file: string, signal: AbortSignal): Promise<Written>
  close(): Promise<void>
}

type Ask = (task: Omit<Task, 'number'>) => Promise<string | undefined>

export function createScribe(): Scribe {
  let thread: Thread | undefined
  let files = 0
  const spare: Uint8Array[] = []
  const pieces: Pieces = {
    take: () => spare.pop() ?? new Uint8Array(new SharedArrayBuffer(PIECE_BYTES)),
    give: (piece) => {
      if (spare.length < MOST_SPARE) spare.push(piece)
    },
  }
  return {
    write: async (source, file, signal) => {
      if (!thread?.isAlive()) thread = startThread()
      const { ask } = thread // to the end: another one has not seen the beginning
      const handle = await open(file, 'wx')
      try {
        return await writeTo({ handle, file: files++, ask, pieces }, source, signal)
      } finally {
        await handle.close()
      }
    },
    close: async () => {
      await thread?.end()
    },
  }
}

interface Pieces {
  take(): Uint8Array
  give(piece: Uint8Array): void
}

/** One piece is filled while the one before is written. */
async function writeTo(
  { handle: { fd }, file, ask, pieces }: { handle: FileHandle; file: number; ask: Ask; pieces: Pieces },
  source: Readable,
  signal: AbortSignal,
): Promise<Written> {
  let sizeBytes = 0
  let piece = pieces.take()
  let filled = 0
  let writing: Promise<string | undefined> = Promise.resolve(undefined)
  const write = async (then: Task['then']): Promise<void> => {
    await writing
    const full = piece
    sizeBytes += filled
    writing = ask({ file, fd, bytes: full.subarray(0, filled), then })
    writing.then(
      () => pieces.give(full),
      () => {}, // told to whoever waits for it
    )
    piece = pieces.take()
    filled = 0
  }
  const take = async (chunks: AsyncIterable<Buffer>): Promise<void> => {
    for await (const chunk of chunks)
      for (let taken = 0; taken < chunk.length;) {
        const copied = chunk.copy(piece, filled, taken)
        taken += copied
        filled += copied
        if (filled === piece.length) await write('go on')
      }
    await write('finish')
  }
  let taking: Promise<void> | undefined
  try {
    await pipeline(source, (chunks) => (taking = take(chunks as AsyncIterable<Buffer>)), { signal })
    return { sizeBytes, sha256: (await writing) as string }
  } catch (error) {
    // nothing may be written once the file is closed: its number may be another file's by then
    await taking?.catch(() => {})
    await ask({ file, fd, then: 'forget' }).catch(() => {})
    throw error
  } finally {
    pieces.give(piece)
  }
}

interface Thread {
  readonly ask: Ask
  isAlive(): boolean
  end(): Promise<unknown>
}

function startThread(): Thread {
  const worker = new Worker(new URL('./thread.ts', import.meta.url))
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
  worker.on('exit', (code) => fail(new Error(`the thread that writes ended with ${code}`)))
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
