import { markDirections, RESUMABLE_ABOVE_BYTES, type Song } from '@prelude/contracts'
import { api } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { messages } from '../../messages.ts'
import { holdPage } from '../../ui/held-page.ts'
import { createStore } from '../../ui/store.ts'
import { toast } from '../../ui/toast.tsx'
import { excerpt } from './excerpt.ts'
import { withRetry, sendForm } from './send-form.ts'
import { forgetUploads, uploadFile } from './upload-file.ts'
import {
  initialProgress,
  OPERATION_RETRY_MS,
  type Progress,
  type UploadControls,
  uploadErrorMessage,
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
interface DeliveryState {
  readonly progress: readonly [Progress | null, Progress | null]
  readonly uploads: readonly [UploadControls?, UploadControls?]
}

const current = createStore<Delivery | null>(null)
const state = createStore<DeliveryState>({ progress: [null, null], uploads: [] })

export const useDelivery = (): Delivery | null => current.use()
export const useDeliveryState = (): DeliveryState => state.use()

const update = (change: Partial<DeliveryState>): void => state.set({ ...state.get(), ...change })

const report = (n: 0 | 1, next: Progress): void => {
  const [one, two] = state.get().progress
  update({ progress: n === 0 ? [next, two] : [one, next] })
}

/** When the first failed request is sent again, in ms since the epoch, in the past while it runs; null while nothing has failed. */
export function nextTryAt({ progress }: DeliveryState): number | null {
  const times = progress.flatMap((one) => one?.retryAt ?? [])
  return times.length === 0 ? null : Math.min(...times)
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
      // another song may be open by now
      `${markDirections(delivery.song.username)} · ${excerpt(delivery.song.style)}`,
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
  await sendWithControls(all, { limitMs: OPERATION_RETRY_MS, from: 1 }, (signal) =>
    api.post(path, { version1, version2 }, { idempotencyKey, timeoutMs: OPERATION_RETRY_MS, signal }),
  ).catch((error: unknown) => {
    if (error === null) for (const upload of uploads) upload?.cancel()
    throw error
  })
  forgetUploads(song.id)
}

const onRetry = (retryAt: number): void => {
  const [one, two] = state.get().progress
  update({ progress: [one && { ...one, retryAt }, two && { ...two, retryAt }] })
}

function sendInOneForm(
  method: 'POST' | 'PUT',
  path: string,
  fieldOf: (n: 0 | 1) => string,
  files: ReturnType<typeof present>,
): Promise<void> {
  const fields = Object.fromEntries(files.map(([n, file]) => [fieldOf(n), file]))
  return sendWithControls(files, { limitMs: UPLOAD_RETRY_MS, from: 0 }, (signal, show) =>
    sendForm(method, path, fields, signal, show),
  )
}

/**
 * Sends a request about files, again after a network error or a 5xx. Pause ends it, or the wait for the next one; resume sends
 * it again. Each attempt begins with the part `from`, 0 to 1, of the files sent. Errors: ApiProblem; `null` when cancelled.
 */
function sendWithControls(
  files: ReturnType<typeof present>,
  { limitMs, from }: { limitMs: number; from: 0 | 1 },
  request: (signal: AbortSignal, show: (fraction: number) => void) => Promise<unknown>,
): Promise<void> {
  const done = Promise.withResolvers<void>()
  let running = new AbortController()
  let wasSent = false
  const show = (fraction: number, paused = false): void => {
    for (const [n, file] of files)
      report(n, { ...initialProgress(file), sentBytes: fraction * file.size, paused })
  }
  const start = (): void => {
    const { signal } = (running = new AbortController())
    show(from)
    withRetry(() => request(signal, show), {
      limitMs,
      // the request that a pause has ended may have arrived
      isRepeated: wasSent,
      signal,
      onRetry,
    }).then(done.resolve, (error: unknown) => {
      if (!signal.aborted) done.reject(error)
    })
    wasSent = true
  }
  const controls: UploadControls = {
    pause: () => {
      running.abort()
      show(from, true)
    },
    resume: start,
    cancel: () => {
      running.abort()
      done.reject(null)
    },
    stop: () => running.abort(),
  }
  update({ uploads: [controls, controls] })
  start()
  return done.promise
}
