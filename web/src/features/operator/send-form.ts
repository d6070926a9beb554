import { ApiProblem } from '../../api/client.ts'
import { messages } from '../../messages.ts'
import { pauseMs, refusal, type RunningUpload } from './running-upload.ts'

/** What an earlier try, whose answer was lost, has done by the time of the next. */
const ALREADY_DONE = 'song_already_ready'
/** What it may still be doing on the server. */
const STILL_AT_IT = new Set(['fulfilment_in_progress', 'request_in_progress'])

/** A form in one request, with progress; paused, it is taken back and later sent again. */
export function sendForm(
  method: 'POST' | 'PUT',
  path: string,
  form: FormData,
  onProgress: (part: number, paused: boolean) => void,
): RunningUpload {
  const done = Promise.withResolvers<string>()
  let current: XMLHttpRequest | undefined
  let over = false
  let tries = 0
  const send = (): void => {
    const request = (current = new XMLHttpRequest())
    tries++
    request.open(method, path)
    request.upload.addEventListener('progress', ({ loaded, total }) => {
      if (!over && request === current) onProgress(total > 0 ? loaded / total : 0, false)
    })
    request.addEventListener('load', () => {
      if (request.status < 300) return done.resolve(request.responseText)
      const problem = refusal(request.status, request.responseText)
      // what was taken back may have arrived whole all the same
      if (tries > 1 && problem.code === ALREADY_DONE) done.resolve('')
      else if (tries > 1 && STILL_AT_IT.has(problem.code))
        done.reject(new ApiProblem(0, problem.code, problem.message))
      else done.reject(problem)
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
      if (attempt > 0 && error.code === ALREADY_DONE) return
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
