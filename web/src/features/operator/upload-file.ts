import { type PreviousUpload, Upload } from 'tus-js-client'
import { ApiProblem } from '../../api/client.ts'
import { messages } from '../../messages.ts'

/** The numbers of the product's description: resumable above this size, chunks that start there and double to 32 MiB. */
export const RESUMABLE_ABOVE_BYTES = 262_144
const MAX_CHUNK_BYTES = 32 * 1024 * 1024
const HASHED_AT_ONCE_BYTES = 8 * 1024 * 1024
/** One operation is tried again for 120 s, an upload for 600 s without a byte getting through. */
export const OPERATION_LIMIT_MS = 120_000
export const UPLOAD_LIMIT_MS = 600_000
const LONGEST_PAUSE_MS = 5_000
const pauseMs = (attempt: number): number => Math.min(500 * 2 ** attempt, LONGEST_PAUSE_MS)
/** More than the limit needs: the clock ends an upload, not their number. */
const RETRY_DELAYS_MS = Array.from({ length: 200 }, (_one, attempt) => pauseMs(attempt))

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
const refusal = (status: number, body: string): ApiProblem => {
  const problem = parse(body)
  return new ApiProblem(status, problem.code ?? 'upload_failed', problem.detail ?? messages.uploadFailed)
}

/** The same content for the same place goes on where it stood, whatever the file is called and whenever it was saved. */
async function fingerprintOf(file: File, place: string): Promise<string> {
  const parts: ArrayBuffer[] = []
  for (let at = 0; at < file.size; at += HASHED_AT_ONCE_BYTES)
    parts.push(
      await crypto.subtle.digest('SHA-256', await file.slice(at, at + HASHED_AT_ONCE_BYTES).arrayBuffer()),
    )
  const whole = await crypto.subtle.digest('SHA-256', await new Blob(parts).arrayBuffer())
  const hex = [...new Uint8Array(whole)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return ['prelude', place, file.size, hex].join('/')
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
  let over = false
  let limit: ReturnType<typeof setTimeout> | undefined
  const report = (sentBytes: number): void => {
    if (!over) onProgress({ sentBytes, totalBytes: file.size, bytesPerSecond: meter(sentBytes), paused })
  }
  const end = (error: ApiProblem | null): void => {
    over = true
    clearTimeout(limit)
    done.reject(error)
  }
  const startClock = (): void => {
    clearTimeout(limit)
    limit = setTimeout(() => {
      void upload.abort()
      end(new ApiProblem(0, 'upload_failed', messages.uploadFailed))
    }, UPLOAD_LIMIT_MS)
  }
  let sent = 0
  const upload = new Upload(file, {
    endpoint: '/api/operator/uploads',
    chunkSize: RESUMABLE_ABOVE_BYTES,
    retryDelays: RETRY_DELAYS_MS,
    metadata: { filename: file.name, filetype: file.type },
    fingerprint: () => fingerprintOf(file, place),
    onShouldRetry: (error) => {
      const status = error.originalResponse?.getStatus() ?? 0
      return status === 0 || status >= 500
    },
    onProgress: (bytes) => {
      startClock()
      report((sent = bytes))
    },
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
    onError: (error) => {
      const answer = 'originalResponse' in error ? error.originalResponse : null
      end(refusal(answer?.getStatus() ?? 0, answer?.getBody() ?? ''))
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
      end(null)
      void upload.abort(true).catch(() => {})
    },
    stop: () => {
      over = true
      clearTimeout(limit)
      void upload.abort()
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

/** Both small files in one request, with progress; paused, it is taken back and later sent again. */
export function sendForm(
  path: string,
  form: FormData,
  onProgress: (part: number, paused: boolean) => void,
): RunningUpload {
  const done = Promise.withResolvers<string>()
  let current: XMLHttpRequest | undefined
  let over = false
  const send = (): void => {
    const request = (current = new XMLHttpRequest())
    request.open('POST', path)
    request.upload.addEventListener('progress', ({ loaded, total }) => {
      if (!over && request === current) onProgress(total > 0 ? loaded / total : 0, false)
    })
    request.addEventListener('load', () => {
      if (request.status < 300) done.resolve(request.responseText)
      else done.reject(refusal(request.status, request.responseText))
    })
    request.addEventListener('error', () =>
      done.reject(new ApiProblem(0, 'upload_failed', messages.uploadFailed)),
    )
    request.send(form)
  }
  const stop = (): void => {
    over = true
    current?.abort()
  }
  send()
  return {
    finished: done.promise,
    pause: () => {
      current?.abort()
      current = undefined
      onProgress(0, true)
    },
    resume: () => {
      onProgress(0, false)
      send()
    },
    cancel: () => {
      stop()
      done.reject(null)
    },
    stop,
  }
}

/** What an earlier try, whose answer was lost, may still be doing on the server. */
const STILL_AT_IT = new Set(['fulfilment_in_progress', 'request_in_progress'])

/**
 * Tries again when there was no answer or a 5xx, until `limitMs` have passed; refusals are final. An earlier try whose answer
 * was lost may have done the work: then the song is ready, which is what was wanted. Errors: ApiProblem; `null` when cancelled.
 */
export async function persistently(
  work: () => Promise<unknown>,
  limitMs: number,
  cancelled?: AbortSignal,
): Promise<void> {
  const until = Date.now() + limitMs
  for (let attempt = 0; ; attempt++) {
    try {
      await work()
      return
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error
      if (attempt > 0 && error.code === 'song_already_ready') return
      const isPassing =
        error.status === 0 || error.status >= 500 || (attempt > 0 && STILL_AT_IT.has(error.code))
      const wait = pauseMs(attempt)
      if (!isPassing) throw error
      if (Date.now() + wait > until) throw new ApiProblem(0, 'upload_failed', messages.uploadFailed)
      await new Promise<void>((resolve) => {
        setTimeout(resolve, wait)
        cancelled?.addEventListener('abort', () => resolve(), { once: true })
      })
      if (cancelled?.aborted) throw null
    }
  }
}

function parse(text: string): { code?: string; detail?: string } {
  try {
    return JSON.parse(text) as { code?: string; detail?: string }
  } catch {
    return {}
  }
}
