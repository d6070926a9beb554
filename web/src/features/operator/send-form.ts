import { ApiProblem } from '../../api/client.ts'
import { messages } from '../../messages.ts'
import { deferred } from '../../state/deferred.ts'
import { fileChanged, isReadable, OPERATION_RETRY_MS, retryDelayMs, uploadProblem } from './upload-handle.ts'
import { watchdog } from './watchdog.ts'

/** The answers to a repeated attempt when an earlier one succeeded but its response was lost. */
const ALREADY_DONE = new Set(['song_already_ready', 'changes_not_asked'])
/** The answers to a repeated attempt while an earlier one is still running. */
const IN_PROGRESS = new Set(['fulfilment_in_progress', 'request_in_progress'])

/**
 * Sends files, and how they were `made`, as a form in one request. `onProgress` is called with the part that is sent, from 0 to 1. A request without
 * progress or answer for OPERATION_RETRY_MS, as on a connection that died silently, fails like a lost one. Errors: ApiProblem;
 * the signal's reason when aborted.
 */
export function sendForm(
  method: 'POST' | 'PUT',
  path: string,
  { files, made }: { files: Record<string, File>; made: string | undefined },
  signal: AbortSignal,
  onProgress: (fraction: number) => void,
): Promise<void> {
  const form = new FormData()
  for (const [name, file] of Object.entries(files)) form.set(name, file)
  if (made !== undefined) form.set('made', made)
  const done = deferred<void>()
  const request = new XMLHttpRequest()
  const limit = watchdog(OPERATION_RETRY_MS, () => {
    done.reject(connectionLost())
    request.abort()
  })
  request.open(method, path)
  request.upload.addEventListener('progress', ({ loaded, total }) => {
    limit.restart()
    onProgress(total > 0 ? loaded / total : 0)
  })
  request.addEventListener('load', () => {
    if (request.status < 300) done.resolve()
    else done.reject(uploadProblem(request.status, request.responseText))
  })
  request.addEventListener(
    'error',
    () =>
      void findChanged(Object.values(files)).then((changed) =>
        done.reject(changed ? fileChanged(changed) : connectionLost()),
      ),
  )
  request.addEventListener('abort', () => done.reject(signal.reason))
  request.addEventListener('loadend', limit.stop)
  signal.addEventListener('abort', () => request.abort(), { once: true })
  limit.restart()
  request.send(form)
  return done.promise
}

const connectionLost = (): ApiProblem => new ApiProblem(0, 'upload_failed', messages.uploadFailed)

async function findChanged(files: readonly File[]): Promise<File | undefined> {
  for (const file of files) if (!(await isReadable(file))) return file
  return undefined
}

/**
 * Retries network errors and 5xx with backoff until `limitMs` have passed; a 4xx is final. When a repeated attempt finds
 * the song delivered, an earlier one had succeeded. `onRetry` is called with the time of the next attempt.
 * Errors: ApiProblem; the signal's reason when aborted.
 */
export async function withRetry(
  work: () => Promise<unknown>,
  options: {
    limitMs: number
    /** Also the first attempt repeats an earlier one. */
    isRepeated?: boolean
    signal?: AbortSignal
    onRetry: (retryAt: number) => void
  },
): Promise<void> {
  const { limitMs, isRepeated = false, signal, onRetry } = options
  const deadline = Date.now() + limitMs
  for (let attempt = 0; ; attempt++) {
    try {
      await work()
      return
    } catch (error) {
      signal?.throwIfAborted()
      if (!(error instanceof ApiProblem)) throw error
      const wasRepeated = isRepeated || attempt > 0
      if (wasRepeated && ALREADY_DONE.has(error.code)) return
      const isTransient =
        error.status === 0 || error.status >= 500 || (wasRepeated && IN_PROGRESS.has(error.code))
      const delayMs = retryDelayMs(attempt)
      if (!isTransient) throw error
      if (Date.now() + delayMs > deadline) throw connectionLost()
      onRetry(Date.now() + delayMs)
      await new Promise<void>((resolve) => {
        setTimeout(resolve, delayMs)
        signal?.addEventListener('abort', () => resolve(), { once: true })
      })
      signal?.throwIfAborted()
    }
  }
}
