import {
  type Made,
  type MadeOfSome,
  markDirections,
  RESUMABLE_ABOVE_BYTES,
  type Song,
} from '@prelude/contracts'
import { ApiProblem, call } from '../../api/client.ts'
import { invalidateOperatorSong } from '../../api/operator.ts'
import { messages } from '../../messages.ts'
import { deferred } from '../../state/deferred.ts'
import { holdPage } from '../../state/held-page.ts'
import { createStore } from '../../state/store.ts'
import { songName } from '../../text/song-name.ts'
import { toast } from '../../ui/toast.tsx'
import { DraftFile } from './draft-file.ts'
import { excerpt } from './excerpt.ts'
import { rememberMade } from './made-fields.tsx'
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
export const NO_FILES: Files = [null, null]

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
  /** How each file was made; null is not stated. */
  readonly made: readonly [Made | null, Made | null]
}

/** How far it is. It changes many times a second, so that components which do not show it do not subscribe to it. */
interface DeliveryState {
  /** After Cancel or Pause: the files may have arrived, and the server is asked. */
  readonly asking: boolean
  readonly progress: readonly [Progress | null, Progress | null]
  readonly uploads: readonly [UploadControls?, UploadControls?]
}

const current = createStore<Delivery | null>(null)
const IDLE: DeliveryState = { asking: false, progress: [null, null], uploads: [] }
const state = createStore(IDLE)

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

/** Of a draft there is nothing to upload. */
const progressOf = (file: File | null): Progress | null =>
  file && !(file instanceof DraftFile) ? initialProgress(file) : null

/** Asks before the page is left. */
const warn = (event: BeforeUnloadEvent): void => event.preventDefault()

/** The operation of the messages of a delivery. */
const DELIVERY = 'delivery'

/** Delivers the files and shows the result as a toast. One delivery at a time. Resolves to whether it succeeded. */
export async function deliver(delivery: Delivery): Promise<boolean> {
  if (current.get()) {
    toast.alert(messages.operator.oneAtATime)
    return false
  }
  const isWhole = delivery.kind === 'song' || delivery.kind === 'gift'
  state.set({ ...IDLE, progress: [progressOf(delivery.files[0]), progressOf(delivery.files[1])] })
  current.set(delivery)
  addEventListener('beforeunload', warn)
  const release = holdPage()
  const done = toast.progress(isWhole ? messages.uploading : messages.operator.uploading, DELIVERY)
  try {
    const wasCancelled = await send(delivery)
    if (isWhole || delivery.kind === 'changes') rememberMade(delivery.made)
    toast.status(wasCancelled ? messages.delivery.tooLateToCancel : successMessage(delivery), {
      operation: DELIVERY,
    })
    return true
  } catch (error) {
    for (const upload of state.get().uploads) upload?.stop()
    toast.alert(
      uploadErrorMessage(
        error,
        present(delivery.files).map(([n, file]) => [n + 1, file]),
      ),
      // another song may be open by now
      `${markDirections(delivery.song.username)} · ${excerpt(songName(delivery.song))}`,
      DELIVERY,
    )
    return false
  } finally {
    done()
    release()
    removeEventListener('beforeunload', warn)
    current.set(null)
    invalidateOperatorSong(delivery.song.id)
  }
}

function successMessage({ kind, files }: Delivery): string {
  if (kind === 'changes') return messages.desk.changesDelivered
  if (kind === 'replacement') return messages.operator.replaced(messages.version(files[0] ? 1 : 2))
  return messages.uploaded
}

const PATHS = { song: 'fulfil', gift: 'fulfil?gift=true', changes: 'changes' }

/** Whether the delivery that a request was sent for has been made, as the server says. Errors: ApiProblem. */
async function wasMade({ song, kind }: Delivery): Promise<boolean> {
  let now = song
  await withRetry(async () => void (now = await call('GET /api/songs/:id', { params: { id: song.id } })), {
    limitMs: OPERATION_RETRY_MS,
    onRetry,
  }).catch(() => {
    throw new ApiProblem(0, 'outcome_unknown', messages.delivery.outcomeUnknown)
  })
  if (kind === 'changes') return now.changes?.state === 'delivered'
  if (kind === 'replacement') return (now.updatedAt ?? 0) > (song.updatedAt ?? 0)
  return now.status === 'ready'
}

/** Resolves to whether it was made although Cancel was pressed. */
async function send(delivery: Delivery): Promise<boolean> {
  const { song, kind, files } = delivery
  const base = `/api/operator/songs/${song.id}`
  const all = present(files)
  if (kind === 'replacement')
    return sendInOneForm(delivery, 'PUT', `${base}/versions/${files[0] ? 1 : 2}`, () => 'file')
  const path = `${base}/${PATHS[kind]}`
  if (all.every(([, file]) => file.size <= RESUMABLE_ABOVE_BYTES && !(file instanceof DraftFile)))
    return sendInOneForm(delivery, 'POST', path, (n) => `version${n + 1}`)
  const uploads = files.map((file, n) =>
    file && !(file instanceof DraftFile)
      ? uploadFile(file, `${song.id}/${n + 1}`, (next) => report(n as 0 | 1, next))
      : null,
  )
  update({ uploads: [uploads[0] ?? undefined, uploads[1] ?? undefined] })
  const [version1, version2] = await Promise.all(
    files.map(async (file, n) =>
      file instanceof DraftFile ? (file.draft.uploadId ?? undefined) : uploads[n]?.finished,
    ),
  )
  const idempotencyKey = crypto.randomUUID()
  const wasCancelled = await sendWithControls(delivery, { limitMs: OPERATION_RETRY_MS, from: 1 }, (signal) =>
    call(`POST /api/operator/songs/:id/${kind === 'changes' ? kind : 'fulfil'}`, {
      params: { id: song.id },
      query: { gift: kind === 'gift' || undefined },
      body: { version1, version2, made: madeOfFiles(delivery) },
      idempotencyKey,
      timeoutMs: OPERATION_RETRY_MS,
      signal,
    }),
  ).catch((error: unknown) => {
    if (error === null) for (const upload of uploads) upload?.cancel()
    throw error
  })
  forgetUploads(song.id)
  return wasCancelled
}

/** Undefined where nothing is stated. */
function madeOfFiles({ files, made }: Delivery): MadeOfSome | undefined {
  const stated = present(files).flatMap(([n]) => (made[n] ? [[n + 1, made[n]] as const] : []))
  return stated.length === 0 ? undefined : Object.fromEntries(stated)
}

const onRetry = (retryAt: number): void => {
  const [one, two] = state.get().progress
  update({ progress: [one && { ...one, retryAt }, two && { ...two, retryAt }] })
}

function sendInOneForm(
  delivery: Delivery,
  method: 'POST' | 'PUT',
  path: string,
  fieldOf: (n: 0 | 1) => string,
): Promise<boolean> {
  const files = Object.fromEntries(present(delivery.files).map(([n, file]) => [fieldOf(n), file]))
  const [[n]] = present(delivery.files) as [[0 | 1, File]]
  const stated = delivery.kind === 'replacement' ? delivery.made[n] : madeOfFiles(delivery)
  const made = stated ? JSON.stringify(stated) : undefined
  return sendWithControls(delivery, { limitMs: UPLOAD_RETRY_MS, from: 0 }, (signal, show) =>
    sendForm(method, path, { files, made }, signal, show),
  )
}

/**
 * Sends the request that delivers, again after a network error or a 5xx; each attempt begins with the part `from`, 0 to 1, of
 * the files sent. Pause and Cancel end an attempt, or the wait for the next one. The answer decides once all of a request is
 * sent; of one that is ended the server is asked, since it may have arrived. Resolves to whether the delivery was made although
 * it was cancelled. Errors: ApiProblem; `null` when cancelled.
 */
function sendWithControls(
  delivery: Delivery,
  { limitMs, from }: { limitMs: number; from: 0 | 1 },
  request: (signal: AbortSignal, show: (fraction: number) => void) => Promise<unknown>,
): Promise<boolean> {
  const { promise, resolve, reject } = deferred<boolean>()
  let running = new AbortController()
  let isCancelled = false
  /** The request under way, and the part of it that is sent. */
  let underWay: Promise<unknown> | null = null
  let sent = 0
  let wasSent = false
  const show = (fraction: number, paused = false): void => {
    sent = fraction
    for (const [n, file] of present(delivery.files))
      report(n, { ...initialProgress(file), sentBytes: fraction * file.size, paused })
  }
  const start = (): void => {
    const { signal } = (running = new AbortController())
    const attempt = (): Promise<unknown> => {
      show(from)
      underWay = request(signal, show)
      return underWay.finally(() => (underWay = null))
    }
    // the request that a pause has ended may have arrived
    withRetry(attempt, { limitMs, isRepeated: wasSent, signal, onRetry }).then(
      () => resolve(isCancelled),
      (error: unknown) => {
        if (!signal.aborted) reject(error)
      },
    )
    wasSent = true
  }
  /** Ends the attempt. Answers whether the delivery was made. */
  const end = async (): Promise<boolean> => {
    update({ asking: true })
    if (sent === 1) await underWay?.catch(() => {})
    running.abort()
    const isMade = await wasMade(delivery)
    update({ asking: false })
    return isMade
  }
  const endThen = (otherwise: () => void, cancels = false): void => {
    if (state.get().asking) return
    isCancelled = cancels
    end().then((isMade) => (isMade ? resolve(isCancelled) : otherwise()), reject)
  }
  const controls: UploadControls = {
    pause: () => endThen(() => show(from, true)),
    resume: () => {
      if (!state.get().asking) start()
    },
    cancel: () => endThen(() => reject(null), true),
    stop: () => running.abort(),
  }
  update({ uploads: [controls, controls] })
  start()
  return promise
}
