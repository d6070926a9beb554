import { Worker } from 'node:worker_threads'
import type { Format } from '../domain/audio/format.ts'

export interface AnalysisTask {
  readonly file: string
  readonly format: Format['name']
  readonly durationMs: number
  readonly channels: number
}

export interface AnalysisResult {
  /** 0 to 1; empty where the format cannot be decoded here. */
  readonly peaks: readonly number[]
  readonly loudnessLufs: number | null
}

/** About a third of the processor beside requests; with less, a long file would time out under load. */
export const ANALYSIS_PRIORITY = 5
const TIME_LIMIT_MS = 2 * 60 * 1000

/** Decodes the file in a thread. Rejects when it cannot be decoded, takes too long, or `signal` aborts. */
export async function analyzeFile(task: AnalysisTask, signal: AbortSignal): Promise<AnalysisResult> {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  })
  const limit = AbortSignal.any([signal, AbortSignal.timeout(TIME_LIMIT_MS)])
  const { promise, resolve, reject } = Promise.withResolvers<AnalysisResult>()
  const onLimit = () => reject(limit.reason as Error)
  worker.once('message', resolve)
  worker.once('error', reject)
  worker.once('exit', (code) => reject(new Error(`the thread ended with ${code}`)))
  limit.addEventListener('abort', onLimit, { once: true })
  if (limit.aborted) onLimit()
  try {
    return await promise
  } finally {
    limit.removeEventListener('abort', onLimit)
    await worker.terminate()
  }
}
