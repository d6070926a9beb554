import { X } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { messages } from '../messages.ts'
import { usePublishedHeight } from './published-height.ts'
import styles from './toast.module.css'

interface Toast {
  readonly id: number
  readonly role: 'status' | 'alert'
  readonly text: string
}

const DURATION_MS = 7_000
const PROGRESS_DELAY_MS = 300
/** A toast can be read even when the operation ends at once. */
const MIN_DURATION_MS = 3_000

let toasts: readonly Toast[] = []
let nextId = 1
const listeners = new Set<() => void>()

function set(next: readonly Toast[]): void {
  toasts = next
  for (const listener of listeners) listener()
}

const dismiss = (id: number): void => set(toasts.filter((one) => one.id !== id))

/** While the pointer or the focus is on a toast, those whose time has come stay. */
let isHeld = false
const overdue = new Set<number>()

function hold(next: boolean): void {
  isHeld = next
  if (isHeld) return
  for (const id of overdue) dismiss(id)
  overdue.clear()
}

const expire = (id: number): void => (isHeld ? void overdue.add(id) : dismiss(id))

function show(role: Toast['role'], text: string, durationMs?: number): () => void {
  const id = nextId++
  set([...toasts.filter((one) => one.text !== text), { id, role, text }].slice(-4))
  if (durationMs !== undefined) setTimeout(() => expire(id), durationMs)
  const shownAt = Date.now()
  return () => void setTimeout(() => dismiss(id), Math.max(0, shownAt + MIN_DURATION_MS - Date.now()))
}

/** Toasts, announced to screen readers. Each function returns one that dismisses the toast. */
export const toast = {
  status: (text: string): (() => void) => show('status', text, DURATION_MS),
  alert: (text: string): (() => void) => show('alert', text, DURATION_MS),
  /** Stays until the returned function is called. */
  progress: (text: string): (() => void) => show('status', text),
  /** Like progress, but appears only when the operation takes longer than a moment. */
  progressAfterDelay: (text: string): (() => void) => {
    let done: (() => void) | undefined
    const timer = setTimeout(() => (done = show('status', text)), PROGRESS_DELAY_MS)
    return () => {
      clearTimeout(timer)
      done?.()
    }
  },
}

export function Toasts() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => toasts,
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
      {shown.map(({ id, role, text }) => (
        <div key={id} role={role} className={`${styles.toast} ${role === 'alert' ? styles.alert : ''}`}>
          <div className={styles.text}>{text}</div>
          <button
            type="button"
            className={styles.close}
            aria-label={messages.dismiss}
            onClick={() => {
              dismiss(id)
              // the button that held it is gone, without an event
              hold(false)
            }}
          >
            <X aria-hidden size={16} />
          </button>
        </div>
      ))}
    </div>
  )
}
