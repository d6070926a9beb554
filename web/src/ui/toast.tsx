import { X } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { messages } from '../messages.ts'
import { usePublishedHeight } from './published-height.ts'
import styles from './toast.module.css'

interface Toast {
  readonly id: number
  readonly role: 'status' | 'alert'
  readonly text: string
  /** What it means for the person, in smaller type. */
  readonly detail?: string | undefined
  readonly shownAt: number
}

const DURATION_MS = 7_000
/** A message that is replaced sooner stays above the new one for the rest of this time. */
const MIN_MESSAGE_MS = 3_000
/** Messages that can be read again. */
const MAX_RECENT = 5
const PROGRESS_DELAY_MS = 300
/** A progress message can be read even when the operation ends at once: its result follows after this time. */
const MIN_PROGRESS_MS = 1_000

/**
 * One message at a time: a new one replaces what is shown, once that could be read. Progress of operations that still run is
 * shown again once the message over it has gone.
 */
let message: Toast | null = null
let replaced: readonly Toast[] = []
let running: readonly Toast[] = []
let shown: readonly Toast[] = []
let recent: readonly Toast[] = []
let nextId = 1
const listeners = new Set<() => void>()

function update(): void {
  shown = [...replaced, message ?? running.at(-1) ?? []].flat()
  for (const listener of listeners) listener()
}

function dismiss(id: number): void {
  if (message?.id === id) message = null
  running = running.filter((one) => one.id !== id)
  replaced = replaced.filter((one) => one.id !== id)
  update()
}

/** Takes the message away for a new one. */
function replaceMessage(text: string): void {
  const leftMs = message === null ? 0 : message.shownAt + MIN_MESSAGE_MS - Date.now()
  if (message !== null && leftMs > 0 && message.text !== text) {
    const { id } = message
    replaced = [...replaced, message]
    setTimeout(() => expire(id), leftMs)
  }
  message = null
}

/** While the pointer or the focus is on a toast, one whose time has come stays. */
let isHeld = false
let overdue: readonly number[] = []

function hold(next: boolean): void {
  isHeld = next
  if (isHeld) return
  for (const id of overdue) dismiss(id)
  overdue = []
}

const expire = (id: number): void => (isHeld ? void (overdue = [...overdue, id]) : dismiss(id))

/** How much longer a progress message that is shown now can be read. */
function progressLeftMs(): number {
  const current = message === null ? running.at(-1) : undefined
  return current ? Math.max(0, current.shownAt + MIN_PROGRESS_MS - Date.now()) : 0
}

/** Of the message that waits for that time. */
let pending: ReturnType<typeof setTimeout> | undefined

function show(role: Toast['role'], text: string, detail?: string): () => void {
  const id = nextId++
  const present = (): void => {
    replaceMessage(text)
    replaced = replaced.filter((one) => one.text !== text)
    message = { id, role, text, detail, shownAt: Date.now() }
    recent = [message, ...recent].slice(0, MAX_RECENT)
    update()
    setTimeout(() => expire(id), DURATION_MS)
  }
  clearTimeout(pending)
  const waitMs = progressLeftMs()
  if (waitMs === 0) present()
  else pending = setTimeout(present, waitMs)
  return () => dismiss(id)
}

function showProgress(text: string): () => void {
  const id = nextId++
  running = [...running, { id, role: 'status', text, shownAt: Date.now() }]
  replaceMessage(text)
  clearTimeout(pending)
  update()
  const endsAt = Date.now() + MIN_PROGRESS_MS
  return () => void setTimeout(() => dismiss(id), Math.max(0, endsAt - Date.now()))
}

/** Toasts, announced to screen readers. Each function returns one that dismisses the toast. */
export const toast = {
  status: (text: string): (() => void) => show('status', text),
  alert: (text: string, detail?: string): (() => void) => show('alert', text, detail),
  /** Stays until the returned function is called. */
  progress: showProgress,
  /** Like progress, but appears only when the operation takes longer than a moment. */
  progressAfterDelay: (text: string): (() => void) => {
    let done: (() => void) | undefined
    const timer = setTimeout(() => (done = showProgress(text)), PROGRESS_DELAY_MS)
    return () => {
      clearTimeout(timer)
      done?.()
    }
  },
}

/** Removes the messages of the person who signs out: the next one to sign in must not read them. */
export function forgetMessages(): void {
  recent = []
  update()
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The last messages, newest first. */
export const useRecentMessages = (): readonly Pick<Toast, 'id' | 'text' | 'detail'>[] =>
  useSyncExternalStore(subscribe, () => recent)

export function Toasts() {
  const toasts = useSyncExternalStore(subscribe, () => shown)
  const stack = usePublishedHeight<HTMLDivElement>('--toasts-height')
  return (
    <div
      ref={stack}
      className={styles.stack}
      // not for a pointer at rest, under which a toast appears
      onPointerMove={({ movementX, movementY }) => (movementX !== 0 || movementY !== 0) && hold(true)}
      onPointerLeave={() => hold(false)}
      onFocus={() => hold(true)}
      onBlur={() => hold(false)}
    >
      {toasts.map((current) => (
        <div key={current.id} className={`${styles.toast} ${current.role === 'alert' ? styles.alert : ''}`}>
          <div role={current.role} className={styles.line}>
            <div className={styles.text}>{current.text}</div>
            <button
              type="button"
              className={styles.close}
              aria-label={messages.dismiss}
              onClick={() => {
                dismiss(current.id)
                // the button that held it is gone, without an event
                hold(false)
              }}
            >
              <X aria-hidden size={16} />
            </button>
          </div>
          {current.detail !== undefined && (
            <p role="status" className={styles.detail}>
              {current.detail}
            </p>
          )}
        </div>
      ))}
    </div>
  )
}
