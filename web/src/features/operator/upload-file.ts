import { type PreviousUpload, Upload } from 'tus-js-client'
import { ApiProblem } from '../../api/client.ts'
import { messages } from '../../messages.ts'

/** The numbers of the product's description: resumable above this size, chunks that start there and double to 32 MiB. */
export const RESUMABLE_ABOVE_BYTES = 262_144
const MAX_CHUNK_BYTES = 32 * 1024 * 1024
/** One operation is tried again for 120 s, a whole upload for 600 s. */
const RETRY_DELAYS_MS = [
  500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000, 15_000, 15_000, 15_000, 14_500,
]
const UPLOAD_LIMIT_MS = 600_000

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
  cancel(): void
}

/**
 * Sends a file in chunks that survive a lost network, a restart of the server and a reload of the page: the same file for
 * the same place goes on where the server stands.
 */
export function uploadFile(
  file: File,
  place: string,
  onProgress: (progress: Progress) => void,
): RunningUpload {
  const done = Promise.withResolvers<string>()
  const meter = speedMeter()
  let paused = false
  let limit: ReturnType<typeof setTimeout> | undefined
  const report = (sentBytes: number): void =>
    onProgress({ sentBytes, totalBytes: file.size, bytesPerSecond: meter(sentBytes), paused })
  const startClock = (): void => {
    clearTimeout(limit)
    limit = setTimeout(() => {
      void upload.abort()
      done.reject(new ApiProblem(0, 'upload_failed', messages.uploadFailed))
    }, UPLOAD_LIMIT_MS)
  }
  let sent = 0
  const upload = new Upload(file, {
    endpoint: '/api/operator/uploads',
    chunkSize: RESUMABLE_ABOVE_BYTES,
    retryDelays: RETRY_DELAYS_MS,
    metadata: { filename: file.name, filetype: file.type },
    fingerprint: async () => ['prelude', place, file.name, file.size, file.lastModified].join('/'),
    onShouldRetry: (error) => {
      const status = error.originalResponse?.getStatus() ?? 0
      return status === 0 || status >= 500
    },
    onProgress: (bytes) => report((sent = bytes)),
    onChunkComplete: () => {
      upload.options.chunkSize = Math.min(
        (upload.options.chunkSize ?? RESUMABLE_ABOVE_BYTES) * 2,
        MAX_CHUNK_BYTES,
      )
    },
    onSuccess: () => {
      clearTimeout(limit)
      report(file.size)
      done.resolve(upload.url?.split('/').at(-1) ?? '')
    },
    onError: () => {
      clearTimeout(limit)
      done.reject(new ApiProblem(0, 'upload_failed', messages.uploadFailed))
    },
  })
  const start = async (): Promise<void> => {
    startClock()
    const [previous]: PreviousUpload[] = await upload.findPreviousUploads()
    if (previous) upload.resumeFromPreviousUpload(previous)
    upload.start()
  }
  void start()
  return {
    finished: done.promise,
    pause: () => {
      paused = true
      clearTimeout(limit)
      void upload.abort().then(() => report(sent))
    },
    resume: () => {
      paused = false
      startClock()
      upload.start()
      report(sent)
    },
    cancel: () => {
      clearTimeout(limit)
      void upload.abort(true).catch(() => {})
      done.reject(null)
    },
  }
}

/** Bytes a second over the last seconds. */
function speedMeter(): (sentBytes: number) => number {
  const marks: { at: number; bytes: number }[] = []
  return (bytes) => {
    const at = performance.now()
    marks.push({ at, bytes })
    while (marks.length > 2 && at - marks[0]!.at > 4_000) marks.shift()
    const [first] = marks
    return first && at > first.at ? Math.max(0, ((bytes - first.bytes) / (at - first.at)) * 1000) : 0
  }
}

/** Both small files in one request, with progress. Errors: ApiProblem; `null` when cancelled. */
export function sendForm(path: string, form: FormData, onProgress: (part: number) => void): RunningUpload {
  const done = Promise.withResolvers<string>()
  const request = new XMLHttpRequest()
  request.open('POST', path)
  request.upload.addEventListener('progress', (event) =>
    onProgress(event.total > 0 ? event.loaded / event.total : 0),
  )
  request.addEventListener('load', () => {
    if (request.status < 300) done.resolve(request.responseText)
    else {
      const problem = parse(request.responseText)
      done.reject(
        new ApiProblem(request.status, problem.code ?? 'unknown', problem.detail ?? messages.uploadFailed),
      )
    }
  })
  request.addEventListener('error', () =>
    done.reject(new ApiProblem(0, 'upload_failed', messages.uploadFailed)),
  )
  request.addEventListener('abort', () => done.reject(null))
  request.send(form)
  return { finished: done.promise, pause: () => {}, resume: () => {}, cancel: () => request.abort() }
}

function parse(text: string): { code?: string; detail?: string } {
  try {
    return JSON.parse(text) as { code?: string; detail?: string }
  } catch {
    return {}
  }
}
