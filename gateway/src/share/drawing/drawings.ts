import { Worker } from 'node:worker_threads'
import { Unavailable } from '@prelude/platform'
import type { Certified, Sent, Task } from './task.ts'

const START_LIMIT_MS = 60_000
/** Of one drawing, from when the thread is ready; it takes a tenth of a second. */
const LIMIT_MS = 10_000
const HEAP = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 }
/** The thread holds fonts and libraries, so one without work ends. */
const IDLE_MS = 60_000
const MOST_WAITING = 100
/** Of about 25 kB (a cover) to 100 kB (a certificate) each. */
const MOST_KEPT = 200

/**
 * Draws certificates and covers in a worker thread, one at a time, so that requests are answered meanwhile. Drawings are kept by
 * their content. Errors: unavailable when one takes too much time or memory, or when too many wait.
 */
export interface Drawings {
  /** A PDF of one page. */
  certificate(certified: Certified): Promise<Buffer>
  /** A PNG: the motif and colours that follow from the song's id. */
  cover(songId: string): Promise<Buffer>
  close(): void
}

export function createDrawings({ limitMs = LIMIT_MS } = {}): Drawings {
  const kept = new Map<string, Promise<Buffer>>()
  let worker: Worker | undefined
  let idle: NodeJS.Timeout | undefined
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  let isClosed = false

  const end = (): void => {
    clearTimeout(idle)
    void worker?.terminate()
    worker = undefined
  }

  const perform = async (task: Task): Promise<Buffer> => {
    clearTimeout(idle)
    if (isClosed) throw new Unavailable('the drawing thread', 'the gateway stops')
    const isStarted = worker !== undefined
    const thread = (worker ??= start())
    try {
      if (!isStarted) await next(thread, START_LIMIT_MS)
      thread.postMessage(task)
      const answer = await next(thread, limitMs)
      if (answer === 'ready' || 'error' in answer) throw new Error(answer === 'ready' ? answer : answer.error)
      idle = setTimeout(end, IDLE_MS).unref()
      return Buffer.from(answer.bytes.buffer)
    } catch (error) {
      end()
      throw new Unavailable('the drawing thread', error)
    }
  }

  const draw = (task: Task): Promise<Buffer> => {
    const content = JSON.stringify(task)
    const known = kept.get(content)
    if (known) return known
    if (waiting >= MOST_WAITING)
      return Promise.reject(new Unavailable('the drawing thread', `${waiting} drawings wait`))
    waiting++
    const drawn = last.then(() => perform(task)).finally(() => waiting--)
    last = drawn.catch(() => kept.delete(content))
    kept.set(content, drawn)
    const [oldest] = kept.keys()
    if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest)
    return drawn
  }

  return {
    certificate: (certified) => draw({ kind: 'certificate', ...certified }),
    cover: (songId) => draw({ kind: 'cover', songId }),
    close: () => {
      isClosed = true
      end()
    },
  }
}

function start(): Worker {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { env: {}, resourceLimits: HEAP })
  worker.on('error', () => {}) // also between two tasks
  worker.unref()
  return worker
}

/** The next message of the thread. */
async function next(worker: Worker, limitMs: number): Promise<Sent> {
  const { promise, resolve, reject } = Promise.withResolvers<Sent>()
  const onExit = (code: number): void => reject(new Error(`it ended with ${code}`))
  const timer = setTimeout(() => reject(new Error(`it took ${limitMs} ms`)), limitMs)
  worker.once('message', resolve).once('error', reject).once('exit', onExit)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    worker.off('message', resolve).off('error', reject).off('exit', onExit)
  }
}
