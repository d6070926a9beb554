import { ApiProblem } from '../../api/client.ts'
import { messages } from '../../messages.ts'
import {
  fileChanged,
  isReadable,
  OPERATION_RETRY_MS,
  retryDelayMs,
  uploadProblem,
  type UploadHandle,
} from './upload-handle.ts'

/** The answers to a repeated attempt when an earlier one succeeded but its response was lost. */
const ALREADY_DONE = new Set(['song_already_ready', 'changes_not_asked'])
/** The answers to a repeated attempt while an earlier one is still running. */
const IN_PROGRESS = new Set(['fulfilment_in_progress', 'request_in_progress'])

/**
 * Sends files as a form in one request, with progress. Pause aborts the request; resume sends it again from the start. A
 * request without progress or answer for OPERATION_RETRY_MS, as on a connection that died silently, fails like a lost one.
 */
export function sendForm(
  method: 'POST' | 'PUT',
  path: string,
  files: Record<string, File>,
  onProgress: (fraction: number, paused: boolean) => void,
): UploadHandle {
  const form = new FormData()
  for (const [name, file] of Object.entries(files)) form.set(name, file)
  const done = Promise.withResolvers<string>()
  let current: XMLHttpRequest | undefined
  let isStopped = false
  let attempts = 0
  let silence: ReturnType<typeof setTimeout> | undefined
  const restartTimeout = (): void => {
    clearTimeout(silence)
    silence = setTimeout(() => {
      stop()
      done.reject(connectionLost())
    }, OPERATION_RETRY_MS)
  }
  const send = (): void => {
    const request = (current = new XMLHttpRequest())
    attempts++
    request.open(method, path)
    request.upload.addEventListener('progress', ({ loaded, total }) => {
      if (isStopped || request !== current) return
      restartTimeout()
      onProgress(total > 0 ? loaded / total : 0, false)
    })
    request.addEventListener('load', () => {
      clearTimeout(silence)
      if (request.status < 300) return done.resolve(request.responseText)
      const problem = uploadProblem(request.status, request.responseText)
      // an aborted request may have been received completely
      if (attempts > 1 && ALREADY_DONE.has(problem.code)) done.resolve('')
      else if (attempts > 1 && IN_PROGRESS.has(problem.code))
        done.reject(new ApiProblem(0, problem.code, problem.message))
      else done.reject(problem)
    })
    request.addEventListener('error', () => {
      clearTimeout(silence)
      void findChanged(Object.values(files)).then((changed) =>
        done.reject(changed ? fileChanged(changed) : connectionLost()),
      )
    })
    restartTimeout()
    request.send(form)
  }
  const stop = (): void => {
    isStopped = true
    clearTimeout(silence)
    current?.abort()
  }
  send()
  return {
    finished: done.promise,
    pause: () => {
      clearTimeout(silence)
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

const connectionLost = (): ApiProblem => new ApiProblem(0, 'upload_failed', messages.uploadFailed)

async function findChanged(files: readonly File[]): Promise<File | undefined> {
  for (const file of files) if (!(await isReadable(file))) return file
  return undefined
}

/**
 * Retries network errors and 5xx with backoff until `limitMs` have passed; a 4xx is final. When a repeated attempt finds
 * the song delivered, an earlier one had succeeded. `onRetry` is called with the time of the next attempt.
 * Errors: ApiProblem; `null` when cancelled.
 */
export async function withRetry(
  work: () => Promise<unknown>,
  options: { limitMs: number; cancelled?: AbortSignal; onRetry?: (retryAt: number) => void },
): Promise<void> {
  const { limitMs, cancelled, onRetry } = options
  const deadline = Date.now() + limitMs
  for (let attempt = 0; ; attempt++) {
    try {
      await work()
      return
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error
      if (attempt > 0 && ALREADY_DONE.has(error.code)) return
      const isTransient =
        error.status === 0 || error.status >= 500 || (attempt > 0 && IN_PROGRESS.has(error.code))
      const delayMs = retryDelayMs(attempt)
      if (!isTransient) throw error
      if (Date.now() + delayMs > deadline) throw connectionLost()
      onRetry?.(Date.now() + delayMs)
      await new Promise<void>((resolve) => {
        setTimeout(resolve, delayMs)
        cancelled?.addEventListener('abort', () => resolve(), { once: true })
      })
      if (cancelled?.aborted) throw null
    }
  }
}
