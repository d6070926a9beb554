import { RESUMABLE_ABOVE_BYTES, type Song } from '@prelude/contracts'
import { api } from '../../api/client.ts'
import { queryClient } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { messages } from '../../messages.ts'
import { holdPage } from '../../ui/held-page.ts'
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
 * The delivery under way: files that are uploaded and become versions of a song. It belongs to the page, not to a component,
 * so that it goes on, with its controls, wherever the operator navigates.
 */
export interface Delivery {
  readonly song: Song
  /** Both versions of a song, charged or as a gift; changes of one version or both; or one file in place of a wrong one. */
  readonly kind: 'song' | 'gift' | 'changes' | 'replacement'
  readonly files: Files
}

/** How far it is. It changes many times a second, so that components which do not show it do not subscribe to it. */
export interface DeliveryState {
  readonly progress: readonly [Progress | null, Progress | null]
  readonly uploads: readonly [UploadHandle?, UploadHandle?]
  /** When the failed request is sent again, in ms since the epoch; null while nothing has failed. */
  readonly retryAt: number | null
}

const current = createStore<Delivery | null>(null)
const state = createStore<DeliveryState>({ progress: [null, null], uploads: [], retryAt: null })

export const useDelivery = (): Delivery | null => current.use()
export const useDeliveryState = (): DeliveryState => state.use()

const update = (change: Partial<DeliveryState>): void => state.set({ ...state.get(), ...change })

const report = (n: 0 | 1, next: Progress): void => {
  const [one, two] = state.get().progress
  update({ progress: n === 0 ? [next, two] : [one, next], retryAt: next.retryAt })
}

/** The files that there are. */
const present = (files: Files): readonly [n: 0 | 1, file: File][] =>
  ([0, 1] as const).flatMap((n) => (files[n] ? [[n, files[n]] as const satisfies [0 | 1, File]] : []))

/** Asks before the page is left. */
const warn = (event: BeforeUnloadEvent): void => event.preventDefault()

/** Delivers the files and shows the result as a toast. One delivery at a time. Resolves to whether it succeeded. */
export async function deliver(delivery: Delivery): Promise<boolean> {
  if (current.get()) {
    toast.alert(messages.operator.oneAtATime)
    return false
  }
  const [one, two] = delivery.files
  const isWhole = delivery.kind === 'song' || delivery.kind === 'gift'
  state.set({
    progress: [one && initialProgress(one), two && initialProgress(two)],
    uploads: [],
    retryAt: null,
  })
  current.set(delivery)
  addEventListener('beforeunload', warn)
  const release = holdPage()
  const done = toast.progress(isWhole ? messages.uploading : messages.operator.uploading)
  try {
    await send(delivery)
    toast.status(successMessage(delivery))
    return true
  } catch (error) {
    for (const upload of state.get().uploads) upload?.stop()
    toast.alert(
      uploadErrorMessage(
        error,
        present(delivery.files).map(([n, file]) => [n + 1, file]),
      ),
    )
    return false
  } finally {
    done()
    release()
    removeEventListener('beforeunload', warn)
    current.set(null)
    void queryClient.invalidateQueries({ queryKey: queryKeys.operator('songs') })
  }
}

function successMessage({ kind, files }: Delivery): string {
  if (kind === 'changes') return messages.desk.changesDelivered
  if (kind === 'replacement') return messages.operator.replaced(messages.version(files[0] ? 1 : 2))
  return messages.uploaded
}

const PATHS = { song: 'fulfil', gift: 'fulfil?gift=true', changes: 'changes' }

async function send({ song, kind, files }: Delivery): Promise<void> {
  const base = `/api/operator/songs/${song.id}`
  const all = present(files)
  if (kind === 'replacement')
    return sendInOneForm('PUT', `${base}/versions/${files[0] ? 1 : 2}`, () => 'file', all)
  const path = `${base}/${PATHS[kind]}`
  if (all.every(([, file]) => file.size <= RESUMABLE_ABOVE_BYTES))
    return sendInOneForm('POST', path, (n) => `version${n + 1}`, all)
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
    { limitMs: OPERATION_RETRY_MS, onRetry },
  )
  forgetUploads(song.id)
}

const onRetry = (retryAt: number): void => update({ retryAt })

/** Sends files in one request, again after a network error or a 5xx. Errors: ApiProblem; `null` when cancelled. */
function sendInOneForm(
  method: 'POST' | 'PUT',
  path: string,
  fieldOf: (n: 0 | 1) => string,
  files: ReturnType<typeof present>,
): Promise<void> {
  const cancelling = new AbortController()
  const fields = Object.fromEntries(files.map(([n, file]) => [fieldOf(n), file]))
  const attempt = (): Promise<unknown> => {
    const upload = sendForm(method, path, fields, (fraction, paused) => {
      for (const [n, file] of files)
        report(n, { ...initialProgress(file), sentBytes: fraction * file.size, paused })
    })
    const cancel = (): void => {
      cancelling.abort()
      upload.cancel()
    }
    const controls = { ...upload, cancel }
    update({ uploads: [controls, controls] })
    return upload.finished
  }
  return withRetry(attempt, { limitMs: UPLOAD_RETRY_MS, cancelled: cancelling.signal, onRetry })
}
