import { ApiProblem } from '../../api/client.ts'
import { messages } from '../../messages.ts'

/** One operation is tried again for 120 s, an upload for 600 s without a byte getting through. */
export const OPERATION_LIMIT_MS = 120_000
export const UPLOAD_LIMIT_MS = 600_000
const LONGEST_PAUSE_MS = 5_000
/** Longer with every attempt. */
export const pauseMs = (attempt: number): number => Math.min(500 * 2 ** attempt, LONGEST_PAUSE_MS)

export interface Progress {
  readonly sentBytes: number
  readonly totalBytes: number
  readonly bytesPerSecond: number
  readonly paused: boolean
}

export interface RunningUpload {
  /** The upload's id when all of it arrived. Rejects with ApiProblem, or `null` when cancelled. */
  readonly finished: Promise<string>
  pause(): void
  resume(): void
  /** Gives up what has arrived. */
  cancel(): void
  /** Leaves what has arrived for the next try; nothing is reported any more. */
  stop(): void
}

/** A refusal (4xx) of the upload itself: the server's sentence where it has one. */
export const refusal = (status: number, body: string): ApiProblem => {
  const problem = parse(body)
  return new ApiProblem(status, problem.code ?? 'upload_failed', problem.detail ?? messages.uploadFailed)
}

function parse(text: string): { code?: string; detail?: string } {
  try {
    return JSON.parse(text) as { code?: string; detail?: string }
  } catch {
    return {}
  }
}
