import { MAX_CHUNK_BYTES, RESUMABLE_ABOVE_BYTES } from '@prelude/contracts'
import { DetailedError, type HttpResponse, type PreviousUpload, Upload, type UrlStorage } from 'tus-js-client'
import { ApiProblem } from '../../api/client.ts'
import { messages } from '../../messages.ts'
import { deferred } from '../../state/deferred.ts'
import { lastValues, localStore } from '../../browser/storage.ts'
import {
  fileChanged,
  isReadable,
  retryDelayMs,
  type Progress,
  uploadProblem,
  type UploadHandle,
  UPLOAD_RETRY_MS,
} from './upload-handle.ts'
import { watchdog } from './watchdog.ts'

/** A request on which nothing moves for so long, as on a connection that died silently, is aborted and sent again. */
const STALL_MS = 60_000
const HASHED_AT_ONCE_BYTES = 8 * 1024 * 1024
/** More delays than UPLOAD_RETRY_MS allows: the timer ends an upload, not the number of retries. */
const RETRY_DELAYS_MS = Array.from({ length: 200 }, (_one, attempt) => retryDelayMs(attempt))

/**
 * A HEAD request that failed. tus-js-client treats every error of HEAD as a lost upload and would restart it from zero;
 * only 404 and 410 mean that, this error stands for all others.
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

/** The response that failed a request; null without one. */
function responseOf(error: Error): HttpResponse | null {
  if (!(error instanceof DetailedError)) return null
  return error.causingError instanceof NoOffset ? error.causingError.response : error.originalResponse
}

/** Identifies an upload by content and target, not by file name or date, so that the same content resumes. */
async function fingerprintOf(file: File, target: string): Promise<string> {
  const hashes: ArrayBuffer[] = []
  for (let at = 0; at < file.size; at += HASHED_AT_ONCE_BYTES)
    hashes.push(
      await crypto.subtle.digest('SHA-256', await file.slice(at, at + HASHED_AT_ONCE_BYTES).arrayBuffer()),
    )
  const whole = await crypto.subtle.digest('SHA-256', await new Blob(hashes).arrayBuffer())
  const hex = [...new Uint8Array(whole)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return ['prelude', target, file.size, hex].join('/')
}

/**
 * Uploads a file in chunks by tus. It resumes at the server's offset after a network error, a restart of the server or a
 * reload of the page; `target` (song and version) and the content identify the upload.
 */
export function uploadFile(
  file: File,
  target: string,
  onProgress: (progress: Progress) => void,
): UploadHandle {
  const done = deferred<string>()
  const meter = speedMeter()
  const ended = new AbortController()
  let paused = false
  let retryAt: number | null = null
  let sent = 0
  let maxSent = 0
  let fingerprint: Promise<string> | undefined
  const report = (): void => {
    if (!ended.signal.aborted)
      onProgress({ sentBytes: sent, totalBytes: file.size, bytesPerSecond: meter(sent), paused, retryAt })
  }
  const limit = watchdog(UPLOAD_RETRY_MS, () => {
    void upload.abort()
    end(new ApiProblem(0, 'upload_failed', messages.uploadFailed))
  })
  const stall = watchdog(STALL_MS, () => {
    startAgain()
    retryAt = Date.now()
    report()
  })
  const startAgain = (): void => {
    void upload.abort()
    upload.start()
    stall.restart()
  }
  const stopTimers = (): void => {
    limit.stop()
    stall.stop()
  }
  const close = (): void => {
    ended.abort()
    stopTimers()
  }
  const end = (error: ApiProblem | null): void => {
    close()
    done.reject(error)
  }
  const endIfChanged = async (): Promise<void> => {
    if (await isReadable(file)) return
    end(fileChanged(file))
    void upload.abort()
  }
  const upload = new Upload(file, {
    endpoint: '/api/operator/uploads',
    chunkSize: RESUMABLE_ABOVE_BYTES,
    retryDelays: RETRY_DELAYS_MS,
    urlStorage,
    metadata: { filename: file.name, filetype: file.type },
    fingerprint: () => (fingerprint ??= fingerprintOf(file, target)),
    onAfterResponse: (request, response) => assertOffset(request.getMethod(), response),
    onShouldRetry: (error, attempt) => {
      const status = responseOf(error)?.getStatus() ?? 0
      const isTransient = status === 0 || status >= 500
      retryAt = isTransient ? Date.now() + retryDelayMs(attempt) : null
      report()
      stall.restart()
      if (status === 0) void endIfChanged()
      return isTransient
    },
    onProgress: (bytes) => {
      // an abort reports its last bytes, too
      if (paused || ended.signal.aborted) return
      // the first report of an attempt is the offset that it begins at
      if (bytes > sent) retryAt = null
      sent = bytes
      stall.restart()
      if (bytes > maxSent) {
        maxSent = bytes
        limit.restart()
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
      retryAt = null
      sent = file.size
      report()
      close()
      done.resolve(upload.url?.split('/').at(-1) ?? '')
    },
    onError: (error) => {
      const response = responseOf(error)
      end(uploadProblem(response?.getStatus() ?? 0, response?.getBody() ?? ''))
    },
  })
  const previousFound = upload.findPreviousUploads().then(([previous]: PreviousUpload[]) => {
    if (previous) upload.resumeFromPreviousUpload(previous)
  })
  // hashing a large file takes a moment; a pause, resume or cancel in the meantime supersedes this start
  let startCount = 0
  const start = async (): Promise<void> => {
    const own = ++startCount
    limit.restart()
    await previousFound.catch(() => end(fileChanged(file)))
    if (own !== startCount || paused || ended.signal.aborted) return
    upload.start()
    stall.restart()
  }
  void start()
  const retryNow = (): void => {
    if (!paused && retryAt !== null) startAgain()
  }
  addEventListener('online', retryNow, { signal: ended.signal })
  return {
    finished: done.promise,
    pause: () => {
      paused = true
      retryAt = null
      stopTimers()
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

/** Where uploads are, by fingerprint. Where the browser refuses to keep it, an upload works and is not resumed after a reload. */
const stored = lastValues<PreviousUpload>(localStore, 'prelude-uploads')

const storedUploads = (...fingerprints: readonly string[]): Promise<PreviousUpload[]> =>
  Promise.resolve(
    fingerprints.flatMap((fingerprint) => {
      const upload = stored.get(fingerprint)
      return upload ? [{ ...upload, urlStorageKey: fingerprint }] : []
    }),
  )

const urlStorage: UrlStorage = {
  findAllUploads: () => storedUploads(...stored.names()),
  findUploadsByFingerprint: storedUploads,
  removeUpload: (fingerprint) => Promise.resolve(stored.set(fingerprint, undefined)),
  addUpload: (fingerprint, upload) => {
    stored.set(fingerprint, upload)
    return Promise.resolve(fingerprint)
  },
}

/** Removes what is stored for resuming the uploads of a song that is delivered now, and what earlier versions stored of any. */
export function forgetUploads(songId: string): void {
  for (const key of localStore.keys()) if (key.startsWith('tus::')) localStore.remove(key)
  for (const fingerprint of stored.names())
    if (fingerprint.startsWith(`prelude/${songId}/`)) stored.set(fingerprint, undefined)
}

/** Bytes per second over the last four seconds. */
function speedMeter(): (sentBytes: number) => number {
  const samples: { at: number; bytes: number }[] = []
  return (bytes) => {
    const at = performance.now()
    samples.push({ at, bytes })
    while (samples.length > 2 && at - samples[0]!.at > 4_000) samples.shift()
    const [first] = samples
    return first && at > first.at ? Math.max(0, ((bytes - first.bytes) / (at - first.at)) * 1000) : 0
  }
}
