import { isMainThread } from 'node:worker_threads'

/**
 * Loaded into the product by `--import`: prints, twice a second, the longest stall of the event loop of its main thread: by the clock,
 * and in processor time of the thread, which the other processes of a busy machine do not prolong.
 */
const EVERY_MS = 5
const PRINTED_EVERY_MS = 500

if (isMainThread) {
  let longest = { clockMs: 0, processorMs: 0 }
  let last = performance.now()
  let used = process.threadCpuUsage()
  setInterval(() => {
    const now = performance.now()
    const { user, system } = process.threadCpuUsage(used)
    longest = {
      clockMs: Math.max(longest.clockMs, now - last - EVERY_MS),
      processorMs: Math.max(longest.processorMs, (user + system) / 1_000),
    }
    last = now
    used = process.threadCpuUsage()
  }, EVERY_MS).unref()
  setInterval(() => {
    process.stdout.write(`longest stall: ${JSON.stringify(longest)}\n`)
    longest = { clockMs: 0, processorMs: 0 }
  }, PRINTED_EVERY_MS).unref()
}
