import { X } from 'lucide-react'
import { useEffect, useSyncExternalStore } from 'react'
import { messages } from '../messages.ts'
import { usePublishedHeight } from '../browser/published-height.ts'
import styles from './toast.module.css'

interface Toast {
  readonly id: number
  readonly role: 'status' | 'alert'
  readonly text: string
  /** What it means for the person, in smaller type. */
  readonly detail?: string | undefined
  /** Takes back what it reports. */
  readonly undo?: () => void
  /** A later message of the same operation replaces this one at once; one of another operation lets it be read first. */
  readonly operation?: string | undefined
  readonly shownAt: number
}

/** A live region, with its message or still without. */
type Region = Pick<Toast, 'id' | 'role'> & Partial<Toast>

const DURATION_MS = 7_000
/** A message that is replaced or ends sooner stays above the new one for the rest of this time. */
const MIN_MESSAGE_MS = 3_000
/** Messages that can be read again. */
const MAX_RECENT = 5
const PROGRESS_DELAY_MS = 300

/**
 * One message at a time: a new one replaces what is shown, once that could be read. Progress of operations that still run is
 * shown again once the message over it has gone.
 */
let message: Toast | null = null
let replaced: readonly Toast[] = []
let running: readonly Toast[] = []
let recent: readonly Toast[] = []
let nextId = 1
/** Ids of the regions for the next messages: a screen reader announces what is put into a region that is there before. */
let vacant = { status: nextId++, alert: nextId++ }
let regions = currentRegions()
const listeners = new Set<() => void>()

function currentRegions(): readonly Region[] {
  const { status, alert } = vacant
  const empty = [{ id: status, role: 'status' } as const, { id: alert, role: 'alert' } as const]
  const current = message ?? running.findLast((one) => !replaced.includes(one)) ?? []
  return [...replaced, current, ...empty].flat()
}

/** The region of a new message; another one takes its place for the next. */
function takeRegion(role: Toast['role']): number {
  const id = vacant[role]
  vacant = { ...vacant, [role]: nextId++ }
  return id
}

function update(): void {
  regions = currentRegions()
  for (const listener of listeners) listener()
}

function dismiss(id: number): void {
  if (message?.id === id) message = null
  running = running.filter((one) => one.id !== id)
  replaced = replaced.filter((one) => one.id !== id)
  update()
}

/** Keeps what is shown for the rest of the time in which it can be read. */
function keepCurrent(): void {
  const current = message ?? running.at(-1)
  const leftMs = current === undefined ? 0 : current.shownAt + MIN_MESSAGE_MS - Date.now()
  if (current === undefined || leftMs <= 0 || replaced.includes(current)) return
  replaced = [...replaced, current]
  setTimeout(() => expire(current.id), leftMs)
}

/** Takes the message away for a new one, with all that its operation has said before. */
function replaceMessage({ text, operation }: Pick<Toast, 'text' | 'operation'>): void {
  const isSame = (one: Toast): boolean =>
    one.text === text || (operation !== undefined && one.operation === operation)
  const current = message ?? running.at(-1)
  if (current && !isSame(current)) keepCurrent()
  message = null
  running = running.filter((one) => one.operation === undefined || !isSame(one))
  replaced = replaced.filter((one) => !isSame(one))
}

/** While the pointer or the focus is on a toast, one whose time has come stays. */
const holders = new Set<'pointer' | 'focus'>()
let overdue: readonly number[] = []

const hold = (by: 'pointer' | 'focus'): void => void holders.add(by)

function release(by: 'pointer' | 'focus'): void {
  holders.delete(by)
  if (holders.size > 0) return
  for (const id of overdue) expire(id)
  overdue = []
}

/** Takes a message away whose time has come; progress of an operation that still runs is shown again later. */
function expire(id: number): void {
  if (holders.size > 0) overdue = [...overdue, id]
  else if (running.some((one) => one.id === id)) {
    replaced = replaced.filter((one) => one.id !== id)
    update()
  } else dismiss(id)
}

function show(given: Omit<Toast, 'id' | 'shownAt'>): void {
  replaceMessage(given)
  const id = takeRegion(given.role)
  message = { ...given, id, shownAt: Date.now() }
  recent = [message, ...recent].slice(0, MAX_RECENT)
  update()
  setTimeout(() => expire(id), DURATION_MS)
}

function showProgress(text: string, operation?: string): () => void {
  replaceMessage({ text, operation })
  const id = takeRegion('status')
  const progress: Toast = { id, role: 'status', text, operation, shownAt: Date.now() }
  running = [...running, progress]
  update()
  return () => {
    if (message === null && running.at(-1) === progress) keepCurrent()
    running = running.filter((one) => one !== progress)
    update()
  }
}

/** Toasts, announced to screen readers. */
export const toast = {
  status: (text: string, more?: Pick<Toast, 'operation' | 'undo'>): void =>
    show({ role: 'status', text, ...more }),
  alert: (text: string, detail?: string, operation?: string): void =>
    show({ role: 'alert', text, detail, operation }),
  /** Stays until the returned function is called, or until a message of the same operation. */
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

/** Forgets the messages that can be read again. */
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
  const all = useSyncExternalStore(subscribe, () => regions)
  const stack = usePublishedHeight<HTMLDivElement>('--toasts-height')
  useEffect(() => {
    // a message that goes from under the pointer takes it along without an event in some browsers
    if (stack.current?.matches(':hover') === false) release('pointer')
  })
  return (
    <div
      ref={stack}
      className={styles.stack}
      // not for a pointer at rest, under which a toast appears
      onPointerMove={({ movementX, movementY }) => (movementX !== 0 || movementY !== 0) && hold('pointer')}
      onPointerLeave={() => release('pointer')}
      onFocus={() => hold('focus')}
      onBlur={() => release('focus')}
    >
      {all.map((region) => (
        <ToastRegion key={region.id} region={region} />
      ))}
    </div>
  )
}

function ToastRegion({ region: { id, role, text, detail, undo } }: { region: Region }) {
  const isShown = text !== undefined
  const close = (): void => {
    dismiss(id)
    // the button that held it is gone, without an event
    release('pointer')
    release('focus')
  }
  return (
    <div className={isShown ? `${styles.toast} ${role === 'alert' ? styles.alert : ''}` : styles.vacant}>
      {/* without a message nothing is an alert */}
      <div
        role={isShown || role === 'status' ? role : undefined}
        aria-live={role === 'alert' ? 'assertive' : 'polite'}
        className={styles.line}
      >
        {isShown && (
          <>
            <div className={styles.text}>{text}</div>
            {undo && (
              <button
                type="button"
                className={styles.undo}
                onClick={() => {
                  close()
                  undo()
                }}
              >
                {messages.undo}
              </button>
            )}
            <button type="button" className={styles.close} aria-label={messages.dismiss} onClick={close}>
              <X aria-hidden size={16} />
            </button>
          </>
        )}
      </div>
      {role === 'alert' && (
        <p role="status" className={styles.detail}>
          {detail}
        </p>
      )}
    </div>
  )
}
