import { X } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { messages as words } from '../messages.ts'
import styles from './toast.module.css'

interface Message {
  readonly id: number
  readonly role: 'status' | 'alert'
  readonly text: string
}

const STAYS_MS = 7_000
/** A wait that is longer shows itself. */
const SLOW_MS = 300
/** Nobody reads faster: an answer that comes at once does not take its message away at once. */
const AT_LEAST_MS = 3_000

let messages: readonly Message[] = []
let nextId = 1
const listeners = new Set<() => void>()

function change(next: readonly Message[]): void {
  messages = next
  for (const listener of listeners) listener()
}

const dismiss = (id: number): void => change(messages.filter((message) => message.id !== id))

function show(role: Message['role'], text: string, staysMs?: number): () => void {
  const id = nextId++
  change([...messages.filter((message) => message.text !== text), { id, role, text }].slice(-4))
  if (staysMs !== undefined) setTimeout(() => dismiss(id), staysMs)
  const since = Date.now()
  return () => void setTimeout(() => dismiss(id), Math.max(0, since + AT_LEAST_MS - Date.now()))
}

/** Messages to the person, announced to screen readers; the answer takes the message away again. */
export const toast = {
  status: (text: string): (() => void) => show('status', text, STAYS_MS),
  alert: (text: string): (() => void) => show('alert', text, STAYS_MS),
  /** Stays until the returned function is called. */
  progress: (text: string): (() => void) => show('status', text),
  /** The same, for what is mostly over before it could be read. */
  ifSlow: (text: string): (() => void) => {
    let done: (() => void) | undefined
    const timer = setTimeout(() => (done = show('status', text)), SLOW_MS)
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
    () => messages,
  )
  return (
    <div className={styles.stack}>
      {shown.map((message) => (
        <div
          key={message.id}
          role={message.role}
          className={`${styles.toast} ${message.role === 'alert' ? styles.alert : ''}`}
        >
          <div className={styles.text}>{message.text}</div>
          <button
            type="button"
            className={styles.close}
            aria-label={words.dismiss}
            onClick={() => dismiss(message.id)}
          >
            <X aria-hidden size={16} />
          </button>
        </div>
      ))}
    </div>
  )
}
