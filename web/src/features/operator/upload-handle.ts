import { ApiProblem } from '../../api/client.ts'
import { messages } from '../../messages.ts'

/** Retry limits (spec §9): of one operation, and of an upload since its last byte of progress. */
export const OPERATION_RETRY_MS = 120_000
export const UPLOAD_RETRY_MS = 600_000
const MAX_RETRY_DELAY_MS = 5_000
/** Exponential backoff. */
export const retryDelayMs = (attempt: number): number => Math.min(500 * 2 ** attempt, MAX_RETRY_DELAY_MS)

export interface Progress {
  readonly sentBytes: number
  readonly totalBytes: number
  readonly bytesPerSecond: number
  readonly paused: boolean
}

/** Controls of a running upload. */
export interface UploadHandle {
  /** Resolves to the upload's id when it is complete. Rejects with ApiProblem, or with `null` when cancelled. */
  readonly finished: Promise<string>
  pause(): void
  resume(): void
  /** Deletes what has been received. */
  cancel(): void
  /** Keeps what has been received for a later attempt; no progress is reported any more. */
  stop(): void
}

/** The error for a failed response, with the server's code and text where it has them. */
export const uploadProblem = (status: number, body: string): ApiProblem => {
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
