import { getPriority, setPriority } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { Answer, Sent, Task } from './audio-process.ts'

/** The audio process: a thread does the work, so that this one can always watch its memory and its parent. */

const WATCH_EVERY_MS = 10
/** Of this process beyond what it needs without a file, WebAssembly and ArrayBuffers included. */
const MAX_GROWTH_BYTES = 96 * 2 ** 20
const SPENT_GROWTH_BYTES = 32 * 2 ** 20
const HEAP = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16 }

const niceness = Number(process.argv[2])
if (niceness > getPriority()) setPriority(niceness) // a lower one needs privileges
const worker = new Worker(new URL('./worker.ts', import.meta.url), { resourceLimits: HEAP })
let watch: NodeJS.Timeout | undefined
let atStart: number | undefined

const growth = (): number => process.memoryUsage.rss() - (atStart ?? Infinity)
const die = (): void => {
  process.kill(process.pid, 'SIGKILL') // at once: process.exit() would wait for the thread
}

worker.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'ERR_WORKER_OUT_OF_MEMORY') throw error // an exit code: it is not the file's fault
  die()
})
process.on('disconnect', die)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {}) // the parent drains first, then ends it
process.on('message', (task: Task) => {
  watch = setInterval(() => growth() > MAX_GROWTH_BYTES && die(), WATCH_EVERY_MS)
  worker.postMessage(task)
})
worker.on('message', (answer: Omit<Answer, 'isSpent'> | 'ready') => {
  if (answer === 'ready') {
    atStart = process.memoryUsage.rss()
    process.send?.(answer satisfies Sent)
    return
  }
  clearInterval(watch)
  process.send?.({ ...answer, isSpent: growth() > SPENT_GROWTH_BYTES } satisfies Answer)
})
