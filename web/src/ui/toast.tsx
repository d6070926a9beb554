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
}

const DURATION_MS = 7_000
const PROGRESS_DELAY_MS = 300
/** A progress message can be read even when the operation ends at once: its result follows after this time. */
const MIN_PROGRESS_MS = 1_000

/**
 * One message at a time: a new one replaces what is shown, which is no longer true. Progress of operations that still run is
 * shown again once the message over it has gone.
 */
let message: Toast | null = null
let running: readonly (Toast & { readonly shownAt: number })[] = []
let shown: Toast | null = null
let nextId = 1
const listeners = new Set<() => void>()

function update(): void {
  shown = message ?? running.at(-1) ?? null
  for (const listener of listeners) listener()
}

function dismiss(id: number): void {
  if (message?.id === id) message = null
  running = running.filter((one) => one.id !== id)
  update()
}

/** While the pointer or the focus is on a toast, one whose time has come stays. */
let isHeld = false
let overdue: number | null = null

function hold(next: boolean): void {
  isHeld = next
  if (isHeld || overdue === null) return
  dismiss(overdue)
  overdue = null
}

const expire = (id: number): void => (isHeld ? void (overdue = id) : dismiss(id))

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
    message = { id, role, text, detail }
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
  message = null
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

export function Toasts() {
  const current = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => shown,
  )
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
      {current && (
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
      )}
    </div>
  )
}
