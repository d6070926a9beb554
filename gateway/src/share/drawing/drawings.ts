import { Worker } from 'node:worker_threads'
import { Unavailable } from '@prelude/platform'
import type { Answer, Certified, Task } from './task.ts'

/** Of one drawing; it takes a tenth of a second, the first one of a thread half a second. */
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
    worker ??= start()
    try {
      const bytes = await ask(worker, task, limitMs)
      idle = setTimeout(end, IDLE_MS).unref()
      return bytes
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

async function ask(worker: Worker, task: Task, limitMs: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const onExit = (code: number): void => reject(new Error(`it ended with ${code}`))
  const timer = setTimeout(() => reject(new Error(`it took ${limitMs} ms`)), limitMs)
  worker.once('message', resolve).once('error', reject).once('exit', onExit)
  try {
    worker.postMessage(task)
    const answer = await promise
    if ('error' in answer) throw new Error(answer.error)
    return Buffer.from(answer.bytes.buffer)
  } finally {
    clearTimeout(timer)
    worker.off('message', resolve).off('error', reject).off('exit', onExit)
  }
}
