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

/** By version. */
export type Files = readonly [File | null, File | null]

/** Two files are both versions in the order of their names; one goes where none is, or becomes Version 1. */
export function withDropped(files: Files, dropped: readonly File[]): Files {
  const [one, two] = dropped.toSorted((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }))
  if (!one) return files
  if (two) return [one, two]
  return files[0] ? [files[0], one] : [one, files[1]]
}

/**
 * The delivery under way: the files of a song, uploaded and then fulfilled. It belongs to the page, not to a component, so
 * that it goes on, with its controls, wherever the operator navigates.
 */
export interface Delivery {
  readonly song: Song
  /** Both versions of a song, charged or as a gift, or changes of one version or both. */
  readonly kind: 'song' | 'gift' | 'changes'
  readonly files: Files
  readonly progress: readonly [Progress | null, Progress | null]
  readonly uploads: readonly [UploadHandle?, UploadHandle?]
  /** When the failed request is sent again, in ms since the epoch; null while nothing has failed. */
  readonly retryAt: number | null
}

type Request = Pick<Delivery, 'song' | 'kind' | 'files'>

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

/** The files that there are. */
const present = (files: Files): readonly [n: 0 | 1, file: File][] =>
  ([0, 1] as const).flatMap((n) => (files[n] ? [[n, files[n]] as const satisfies [0 | 1, File]] : []))

/** Asks before the page is left. */
const warn = (event: BeforeUnloadEvent): void => event.preventDefault()

/** Delivers the files and shows the result as a toast. One delivery at a time. Resolves to whether it succeeded. */
export async function deliver(request: Request): Promise<boolean> {
  if (current.get()) return false
  const [one, two] = request.files
  const progress = [one && initialProgress(one), two && initialProgress(two)] as const
  current.set({ ...request, progress, uploads: [], retryAt: null })
  addEventListener('beforeunload', warn)
  const done = toast.progress(messages.uploading)
  try {
    await send(request)
    toast.status(request.kind === 'changes' ? messages.desk.changesDelivered : messages.uploaded)
    return true
  } catch (error) {
    for (const upload of current.get()?.uploads ?? []) upload?.stop()
    toast.alert(
      uploadErrorMessage(
        error,
        present(request.files).map(([n, file]) => [n + 1, file]),
      ),
    )
    return false
  } finally {
    done()
    removeEventListener('beforeunload', warn)
    current.set(null)
    void queryClient.invalidateQueries({ queryKey: ['operator', 'songs'] })
  }
}

const PATHS = { song: 'fulfil', gift: 'fulfil?gift=true', changes: 'changes' }

async function send({ song, kind, files }: Request): Promise<void> {
  const path = `/api/operator/songs/${song.id}/${PATHS[kind]}`
  const onRetry = (retryAt: number): void => update({ retryAt })
  const all = present(files)
  if (all.every(([, file]) => file.size <= RESUMABLE_ABOVE_BYTES))
    return sendInOneForm(
      'POST',
      path,
      Object.fromEntries(all.map(([n, file]) => [`version${n + 1}`, file])),
      {
        onUpload: (upload) => update({ uploads: [upload, upload] }),
        onProgress: (fraction, paused) => {
          for (const [n, file] of all)
            report(n, { ...initialProgress(file), sentBytes: fraction * file.size, paused })
        },
        onRetry,
      },
    )
  const uploads = files.map(
    (file, n) => file && uploadFile(file, `${song.id}/${n + 1}`, (next) => report(n as 0 | 1, next)),
  )
  update({ uploads: [uploads[0] ?? undefined, uploads[1] ?? undefined] })
  const [version1, version2] = await Promise.all(
    uploads.map((upload) => upload?.finished ?? Promise.resolve(undefined)),
  )
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
