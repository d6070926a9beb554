import { X } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import styles from './toast.module.css'

interface Message {
  readonly id: number
  readonly role: 'status' | 'alert'
  readonly text: string
}

const STAYS_MS = 7_000

let messages: readonly Message[] = []
let nextId = 1
const listeners = new Set<() => void>()

function change(next: readonly Message[]): void {
  messages = next
  for (const listener of listeners) listener()
}

const dismiss = (id: number): void => change(messages.filter((message) => message.id !== id))

function show(role: Message['role'], text: string): () => void {
  const id = nextId++
  change([...messages.filter((message) => message.text !== text), { id, role, text }].slice(-4))
  setTimeout(() => dismiss(id), STAYS_MS)
  return () => dismiss(id)
}

/** Messages to the person, announced to screen readers; the answer takes the message away again. */
export const toast = {
  status: (text: string): (() => void) => show('status', text),
  alert: (text: string): (() => void) => show('alert', text),
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
            aria-label="Dismiss"
            onClick={() => dismiss(message.id)}
          >
            <X aria-hidden size={16} />
          </button>
        </div>
      ))}
    </div>
  )
}
