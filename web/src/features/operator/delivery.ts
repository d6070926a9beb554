import { RESUMABLE_ABOVE_BYTES, type Song } from '@prelude/contracts'
import { api } from '../../api/client.ts'
import { queryClient } from '../../api/queries.ts'
import { messages } from '../../messages.ts'
import { createStore } from '../../ui/store.ts'
import { toast } from '../../ui/toast.tsx'
import { withRetry, sendForm } from './send-form.ts'
import { forgetUploads, uploadFile } from './upload-file.ts'
import {
  initialProgress,
  OPERATION_RETRY_MS,
  type Progress,
  uploadErrorMessage,
  type UploadHandle,
  UPLOAD_RETRY_MS,
} from './upload-handle.ts'

/**
 * The delivery under way: both files of a song, uploaded and then fulfilled. It belongs to the page, not to a component, so
 * that it goes on, with its controls, wherever the operator navigates.
 */
export interface Delivery {
  readonly song: Song
  readonly gift: boolean
  readonly files: readonly [File, File]
  readonly progress: readonly [Progress, Progress]
  readonly uploads: readonly UploadHandle[]
  /** When the failed request is sent again, in ms since the epoch; null while nothing has failed. */
  readonly retryAt: number | null
}

const current = createStore<Delivery | null>(null)

const update = (change: Partial<Delivery>): void => {
  const delivery = current.get()
  if (delivery) current.set({ ...delivery, ...change })
}

export const useDelivery = (): Delivery | null => current.use()

const report = (n: 0 | 1, next: Progress): void => {
  const delivery = current.get()
  if (!delivery) return
  const [one, two] = delivery.progress
  update({ progress: n === 0 ? [next, two] : [one, next], retryAt: next.retryAt })
}

/** Asks before the page is left. */
const warn = (event: BeforeUnloadEvent): void => event.preventDefault()

/** Delivers both files and shows the result as a toast. One delivery at a time. Resolves to whether it succeeded. */
export async function deliver(request: Pick<Delivery, 'song' | 'gift' | 'files'>): Promise<boolean> {
  if (current.get()) return false
  const [one, two] = request.files
  const progress = [initialProgress(one), initialProgress(two)] as const
  current.set({ ...request, progress, uploads: [], retryAt: null })
  addEventListener('beforeunload', warn)
  const done = toast.progress(messages.uploading)
  try {
    await send(request)
    toast.status(messages.uploaded)
    return true
  } catch (error) {
    for (const upload of current.get()?.uploads ?? []) upload.stop()
    toast.alert(
      uploadErrorMessage(error, [
        [1, one],
        [2, two],
      ]),
    )
    return false
  } finally {
    done()
    removeEventListener('beforeunload', warn)
    current.set(null)
    void queryClient.invalidateQueries({ queryKey: ['operator', 'songs'] })
  }
}

async function send({ song, gift, files }: Pick<Delivery, 'song' | 'gift' | 'files'>): Promise<void> {
  const [one, two] = files
  const path = `/api/operator/songs/${song.id}/fulfil${gift ? '?gift=true' : ''}`
  const onRetry = (retryAt: number): void => update({ retryAt })
  if (one.size <= RESUMABLE_ABOVE_BYTES && two.size <= RESUMABLE_ABOVE_BYTES)
    return sendInOneForm(
      'POST',
      path,
      { version1: one, version2: two },
      {
        onUpload: (upload) => update({ uploads: [upload, upload] }),
        onProgress: (fraction, paused) => {
          for (const [n, file] of files.entries())
            report(n as 0 | 1, { ...initialProgress(file), sentBytes: fraction * file.size, paused })
        },
        onRetry,
      },
    )
  const uploads = [
    uploadFile(one, `${song.id}/1`, (next) => report(0, next)),
    uploadFile(two, `${song.id}/2`, (next) => report(1, next)),
  ]
  update({ uploads })
  const [version1, version2] = await Promise.all(uploads.map(({ finished }) => finished))
  const idempotencyKey = crypto.randomUUID()
  await withRetry(
    () => api.post(path, { version1, version2 }, { idempotencyKey, timeoutMs: OPERATION_RETRY_MS }),
    {
      limitMs: OPERATION_RETRY_MS,
      onRetry,
    },
  )
  forgetUploads(song.id)
}

/** Sends files in one request, again after a network error or a 5xx. Errors: ApiProblem; `null` when cancelled. */
export function sendInOneForm(
  method: 'POST' | 'PUT',
  path: string,
  files: Record<string, File>,
  on: {
    onUpload: (upload: UploadHandle) => void
    onProgress: (fraction: number, paused: boolean) => void
    onRetry: (retryAt: number) => void
  },
): Promise<void> {
  const cancelling = new AbortController()
  const attempt = (): Promise<unknown> => {
    const upload = sendForm(method, path, files, on.onProgress)
    const cancel = (): void => {
      cancelling.abort()
      upload.cancel()
    }
    on.onUpload({ ...upload, cancel })
    return upload.finished
  }
  return withRetry(attempt, { limitMs: UPLOAD_RETRY_MS, cancelled: cancelling.signal, onRetry: on.onRetry })
}
