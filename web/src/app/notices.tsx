import { Bell } from 'lucide-react'
import { type RefObject, useEffect, useId, useRef, useState } from 'react'
import { type Notice, threadAddress, withLineFeeds } from '@prelude/contracts'
import { markNoticesRead, useNotices } from '../api/notices.ts'
import { useCommand } from '../api/use-command.ts'
import { messages } from '../messages.ts'
import { nameNotifications } from '../offline/service-worker.ts'
import { Link } from '../router.tsx'
import { Button, buttonClass } from '../ui/button.tsx'
import { QueryState } from '../ui/query-state.tsx'
import { ago } from '../text/time.ts'
import { toast, useRecentMessages } from '../ui/toast.tsx'
import styles from './notices.module.css'

const MAX_SHOWN_COUNT = 9

/** The bell with the count of unread notices, and the list that it opens. */
export function Notices() {
  const { notices, query } = useNotices()
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  const root = useRef<HTMLDivElement>(null)
  const bell = useRef<HTMLButtonElement>(null)
  const { kinds } = messages.notices
  useEffect(() => void nameNotifications(kinds), [kinds])
  const unread = notices?.filter(({ readAt }) => readAt === null).length ?? 0
  useClosing(isOpen, root, (byKey) => {
    setOpen(false)
    if (byKey) bell.current?.focus()
  })
  return (
    <div ref={root} className={styles.root}>
      <button
        ref={bell}
        type="button"
        className={`${buttonClass('quiet')} ${styles.bell}`}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        <Bell aria-hidden size={20} />
        <span className="visually-hidden">{messages.notices.title} </span>
        {unread > 0 && (
          <span className={styles.count}>{unread > MAX_SHOWN_COUNT ? `${MAX_SHOWN_COUNT}+` : unread}</span>
        )}
      </button>
      {isOpen && (
        <section id={id} aria-label={messages.notices.title} className={`stack gap-2 card ${styles.panel}`}>
          <header>
            <h2>{messages.notices.title}</h2>
            {notices && notices.length > 0 && <MarkAll notices={notices} unread={unread} />}
          </header>
          {!notices && <QueryState query={query} variant="inline" />}
          {notices?.length === 0 && <p>{messages.notices.empty}</p>}
          {notices && notices.length > 0 && (
            <ul>
              {notices.map((notice) => (
                <NoticeItem key={notice.id} notice={notice} onOpen={() => setOpen(false)} />
              ))}
            </ul>
          )}
          <RecentMessages />
        </section>
      )}
    </div>
  )
}

/** A message that went too fast. */
function RecentMessages() {
  const recent = useRecentMessages()
  if (recent.length === 0) return null
  return (
    <details className={styles.messages}>
      <summary>{messages.notices.recent}</summary>
      {recent.map(({ id, text, detail }) => (
        <p key={id}>
          {text} {detail}
        </p>
      ))}
    </details>
  )
}

/** Closes on a click elsewhere, and on Escape. */
function useClosing(
  isOpen: boolean,
  root: RefObject<HTMLElement | null>,
  close: (byKey: boolean) => void,
): void {
  useEffect(() => {
    if (!isOpen) return undefined
    const listening = new AbortController()
    const { signal } = listening
    const onPointer = ({ target }: PointerEvent): void => {
      if (!root.current?.contains(target as Node)) close(false)
    }
    const onKey = ({ key }: KeyboardEvent): void => {
      if (key === 'Escape') close(true)
    }
    addEventListener('pointerdown', onPointer, { signal })
    addEventListener('keydown', onKey, { signal })
    return () => listening.abort()
  })
}

/** Keeps its place once all are read, so that the focus stays. */
function MarkAll({ notices, unread }: { notices: readonly Notice[]; unread: number }) {
  const { busy, run } = useCommand(() => markNoticesRead(notices), toast.alert)
  return (
    <Button
      variant="link"
      busy={busy}
      aria-disabled={busy || unread === 0 || undefined}
      onClick={() => unread > 0 && void run()}
    >
      {messages.notices.markRead}
    </Button>
  )
}

function addressOf({ kind, songId }: Notice): string {
  if (songId === null) return '/statement'
  return kind === 'message' ? threadAddress(songId) : `/songs/${songId}`
}

function NoticeItem({ notice, onOpen }: { notice: Notice; onOpen: () => void }) {
  const { kind, title, at, readAt } = notice
  return (
    <li className={readAt === null ? styles.unread : undefined}>
      <Link to={addressOf(notice)} onClickCapture={() => setTimeout(onOpen)}>
        {readAt === null && <span className="visually-hidden">{messages.notices.isNew}</span>}
        <span className={styles.kind}>{messages.notices.kinds[kind]}</span>
        <time className="soft hint" dateTime={new Date(at).toISOString()}>
          {ago(at)}
        </time>
        {title !== null && (
          <span dir="auto" className={`soft hint cut ${styles.title}`}>
            {withLineFeeds(title)}
          </span>
        )}
      </Link>
    </li>
  )
}
