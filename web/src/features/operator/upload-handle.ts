import type { Problem } from '@prelude/contracts'
import { ApiProblem, errorMessage } from '../../api/client.ts'
import { messages } from '../../messages.ts'

/** Retry limits: of one operation, and of an upload since its last byte of progress. */
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
  /** When a failed request is sent again, in ms since the epoch; null while nothing has failed. */
  readonly retryAt: number | null
}

export const initialProgress = (file: File): Progress => ({
  sentBytes: 0,
  totalBytes: file.size,
  bytesPerSecond: 0,
  paused: false,
  retryAt: null,
})

/** A file that changed on disk after it was chosen cannot be read any more. */
export const fileChanged = (file: File): ApiProblem =>
  new ApiProblem(400, 'file_changed', messages.operator.fileChanged(file.name))

export const isReadable = (file: File): Promise<boolean> =>
  file
    .slice(0, 1)
    .arrayBuffer()
    .then(
      () => true,
      () => false,
    )

/** Controls of a running upload. */
export interface UploadControls {
  pause(): void
  resume(): void
  /** Deletes what has been received. */
  cancel(): void
  /** Keeps what has been received for a later attempt; no progress is reported any more. */
  stop(): void
}

export interface UploadHandle extends UploadControls {
  /** Resolves to the upload's id when it is complete. Rejects with ApiProblem, or with `null` when cancelled. */
  readonly finished: Promise<string>
}

/** The error for a failed response, with the server's code and text where it has them. */
export const uploadProblem = (status: number, body: string): ApiProblem => {
  const problem = parse(body)
  return new ApiProblem(
    status,
    problem.code ?? 'upload_failed',
    problem.detail ?? messages.uploadFailed,
    problem.errors?.map(({ path }) => path),
  )
}

/** Text of an error, after the versions and names of the files that were refused, if it is about some of them. */
export function uploadErrorMessage(error: unknown, files: readonly [version: number, file: File][]): string {
  if (error === null) return messages.uploadCancelled
  const refused = files.filter(
    ([version]) => error instanceof ApiProblem && error.paths.includes(`version${version}`),
  )
  return [
    ...refused.map(([version, { name }]) => `${messages.version(version)} (${name})`),
    error instanceof ApiProblem && error.code === 'not_audio' ? whyNotAudio(error) : errorMessage(error),
  ].join(': ')
}

/** Only the server says which coding it is; that stands behind the sentence of another language. */
const whyNotAudio = (error: ApiProblem): string =>
  [...new Set([errorMessage(error), error.message])].join(' ')

function parse(text: string): Partial<Problem> {
  try {
    return JSON.parse(text) as Partial<Problem>
  } catch {
    return {}
  }
}
