import { MAX_CHUNK_BYTES, RESUMABLE_ABOVE_BYTES } from '@prelude/contracts'
import { DetailedError, type HttpResponse, type PreviousUpload, Upload } from 'tus-js-client'
import { ApiProblem } from '../../api/client.ts'
import { messages } from '../../messages.ts'
import { pauseMs, type Progress, refusal, type RunningUpload, UPLOAD_LIMIT_MS } from './running-upload.ts'

const HASHED_AT_ONCE_BYTES = 8 * 1024 * 1024
/** More than the limit needs: the clock ends an upload, not their number. */
const RETRY_DELAYS_MS = Array.from({ length: 200 }, (_one, attempt) => pauseMs(attempt))

/**
 * The library takes any refusal to tell where an upload stands for an upload that is gone, and would send all of it anew.
 * Only 404 and 410 say that; this stands for every other answer.
 */
class NoOffset extends Error {
  override readonly name = 'NoOffset'
  readonly response: HttpResponse
  constructor(response: HttpResponse) {
    super(`no offset: ${response.getStatus()}`)
    this.response = response
  }
}

const GONE = new Set([404, 410])

function assertOffset(method: string, response: HttpResponse): void {
  const status = response.getStatus()
  if (method === 'HEAD' && status >= 300 && !GONE.has(status)) throw new NoOffset(response)
}

/** The server's answer that ended a request; null where there was none. */
function answerTo(error: Error): HttpResponse | null {
  if (!(error instanceof DetailedError)) return null
  return error.causingError instanceof NoOffset ? error.causingError.response : error.originalResponse
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
  const over = new AbortController()
  let paused = false
  let isWaiting = false
  let sent = 0
  let farthest = 0
  let limit: ReturnType<typeof setTimeout> | undefined
  let fingerprint: Promise<string> | undefined
  const report = (): void => {
    if (!over.signal.aborted)
      onProgress({ sentBytes: sent, totalBytes: file.size, bytesPerSecond: meter(sent), paused })
  }
  const close = (): void => {
    over.abort()
    clearTimeout(limit)
  }
  const end = (error: ApiProblem | null): void => {
    close()
    done.reject(error)
  }
  const startClock = (): void => {
    clearTimeout(limit)
    limit = setTimeout(() => {
      void upload.abort()
      end(new ApiProblem(0, 'upload_failed', messages.uploadFailed))
    }, UPLOAD_LIMIT_MS)
  }
  const upload = new Upload(file, {
    endpoint: '/api/operator/uploads',
    chunkSize: RESUMABLE_ABOVE_BYTES,
    retryDelays: RETRY_DELAYS_MS,
    metadata: { filename: file.name, filetype: file.type },
    fingerprint: () => (fingerprint ??= fingerprintOf(file, place)),
    onAfterResponse: (request, response) => assertOffset(request.getMethod(), response),
    onShouldRetry: (error) => {
      const status = answerTo(error)?.getStatus() ?? 0
      return (isWaiting = status === 0 || status >= 500)
    },
    onProgress: (bytes) => {
      isWaiting = false
      sent = bytes
      if (bytes > farthest) {
        farthest = bytes
        startClock()
      }
      report()
    },
    onChunkComplete: () => {
      upload.options.chunkSize = Math.min(
        (upload.options.chunkSize ?? RESUMABLE_ABOVE_BYTES) * 2,
        MAX_CHUNK_BYTES,
      )
    },
    onSuccess: () => {
      sent = file.size
      report()
      close()
      done.resolve(upload.url?.split('/').at(-1) ?? '')
    },
    onError: (error) => {
      const answer = answerTo(error)
      end(refusal(answer?.getStatus() ?? 0, answer?.getBody() ?? ''))
    },
  })
  const found = upload.findPreviousUploads().then(([previous]: PreviousUpload[]) => {
    if (previous) upload.resumeFromPreviousUpload(previous)
  })
  // a large file takes a moment to be known again; who pauses or cancels meanwhile is heard
  let turn = 0
  const start = async (): Promise<void> => {
    const mine = ++turn
    startClock()
    await found
    if (mine === turn && !paused && !over.signal.aborted) upload.start()
  }
  void start()
  const wake = (): void => {
    if (paused || !isWaiting) return
    void upload.abort()
    upload.start()
  }
  addEventListener('online', wake, { signal: over.signal })
  return {
    finished: done.promise,
    pause: () => {
      paused = true
      clearTimeout(limit)
      void upload.abort().then(report)
    },
    resume: () => {
      paused = false
      void start()
      report()
    },
    cancel: () => {
      end(null)
      void upload.abort(true).catch(() => {})
    },
    stop: () => {
      close()
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
