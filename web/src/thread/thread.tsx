import { type RefObject, useEffect, useRef, useState } from 'react'
import {
  isBlank,
  markDirections,
  MAX_MESSAGE,
  messagesEndAt,
  type Side,
  type Song,
  type SongMessage,
  THREAD_ELEMENT,
  withLineFeeds,
} from '@prelude/contracts'
import { signedIn } from '../api/me.ts'
import { readMessages, sendMessage, useMessages } from '../api/messages.ts'
import { useCommand } from '../api/use-command.ts'
import { keepWords, sessionStore } from '../browser/storage.ts'
import { format, messages, siteConfig } from '../messages.ts'
import { useLocation } from '../router.tsx'
import { lengthOf } from '../text/truncate.ts'
import { Button } from '../ui/button.tsx'
import { isComposing } from '../browser/composing.ts'
import { TextArea } from '../ui/field.tsx'
import { FormError } from '../ui/form-error.tsx'
import { QueryState } from '../ui/query-state.tsx'
import styles from './thread.module.css'

/** What owner and operator wrote to each other about a song, for one of them: to read and to answer. */
export function Thread({ song, side }: { song: Song; side: Side }) {
  const query = useMessages(song, side)
  const { data } = query
  const region = useRef<HTMLElement>(null)
  const end = useRef<HTMLDivElement>(null)
  const { thread } = messages
  const Heading = side === 'owner' ? 'h2' : 'h3'
  const fresh = useFresh(data, side)
  useAnchor(region, data !== undefined)
  useReading(song.id, side, data, end)
  return (
    <section
      ref={region}
      id={THREAD_ELEMENT}
      tabIndex={-1}
      aria-label={thread.title}
      className={`stack ${styles.thread}`}
    >
      <Heading>{thread.title}</Heading>
      <p role="status" className="visually-hidden">
        {fresh !== null && <span key={fresh}>{thread.arrived}</span>}
      </p>
      {data?.length === 0 && <p className="soft hint">{thread.none}</p>}
      {!data && <QueryState query={query} variant="inline" />}
      {data && data.length > 0 && (
        <ul aria-label={thread.title} className={`stack ${styles.list}`}>
          {data.map((message) => (
            <Item key={message.id} message={message} side={side} other={song.username} />
          ))}
        </ul>
      )}
      <div ref={end} />
      {hasEnded(song) ? <p className="soft hint">{thread.closed}</p> : <Form songId={song.id} side={side} />}
    </section>
  )
}

function hasEnded(song: Song): boolean {
  const endsAt = messagesEndAt(song, siteConfig)
  return endsAt !== null && Date.now() >= endsAt
}

function Item(props: { message: SongMessage; side: Side; other: string }) {
  const { from, text, at, readAt } = props.message
  const { thread } = messages
  const isOwn = from === props.side
  const shown = props.side === 'studio' ? markDirections : (given: string) => given
  const sender = from === 'studio' ? thread.studio : shown(props.other)
  return (
    <li data-own={isOwn || undefined}>
      <span className="soft hint">
        {isOwn ? thread.you : <bdi>{sender}</bdi>} ·{' '}
        <time dateTime={new Date(at).toISOString()}>{format.when(at)}</time>
        {isOwn && readAt !== null && ` · ${thread.read}`}
      </span>
      <p dir="auto">{shown(withLineFeeds(text))}</p>
    </li>
  )
}

/** What is written and not sent outlives a reload and the end of a session, in this tab; signing out removes it by its uid. */
function Form({ songId, side }: { songId: string; side: Side }) {
  const kept = `prelude-message/${side}/${songId}:${signedIn()?.uid}`
  const [text, setText] = useState(() => sessionStore.get(kept) ?? '')
  const attempt = useRef({ text: '', idempotencyKey: '' })
  const type = (next: string): void => {
    setText(next)
    keepWords(kept, next)
  }
  const { busy, error, refuse, run } = useCommand(() => sendMessage(songId, side, attempt.current))
  const { thread, request } = messages
  const send = async (): Promise<void> => {
    const excess = lengthOf(text) - MAX_MESSAGE
    if (isBlank(text) || excess > 0) return refuse(excess > 0 ? request.over(excess) : thread.empty)
    if (attempt.current.text !== text) attempt.current = { text, idempotencyKey: crypto.randomUUID() }
    if (!(await run())) return
    attempt.current = { text: '', idempotencyKey: '' }
    type('')
  }
  return (
    <>
      <TextArea
        label={thread.message}
        hint={thread.hint}
        rows={3}
        most={MAX_MESSAGE}
        readOnly={busy}
        value={text}
        onChange={(event) => type(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey) || isComposing(event)) return
          event.preventDefault()
          void send()
        }}
      />
      {error && <FormError key={error.at} text={error.text} />}
      <div>
        <Button busy={busy} onClick={() => void send()}>
          {thread.send}
        </Button>
      </div>
    </>
  )
}

/** The newest message of the other side; null while it was there when the page was opened, so that it is not announced. */
function useFresh(all: readonly SongMessage[] | undefined, side: Side): string | null {
  const newest = all?.findLast(({ from }) => from !== side)?.id ?? ''
  const [first, setFirst] = useState<string | null>(null)
  if (all && first === null) setFirst(newest)
  return first === null || newest === first ? null : newest
}

/** Once the end of the list is on screen, what the other side wrote is read. */
function useReading(
  songId: string,
  side: Side,
  all: readonly SongMessage[] | undefined,
  end: RefObject<HTMLElement | null>,
): void {
  const isSeen = useIsSeen(end)
  const before = all?.findLast(({ from, readAt }) => from !== side && readAt === null)?.at
  useEffect(() => {
    // one that fails is repeated with the next message, or when it is seen again
    if (isSeen && before !== undefined) readMessages(songId, side, before).catch(() => {})
  }, [songId, side, isSeen, before])
}

function useIsSeen(element: RefObject<HTMLElement | null>): boolean {
  const [isSeen, setSeen] = useState(false)
  useEffect(() => {
    if (!element.current) return undefined
    let isOnScreen = false
    const update = (): void => setSeen(isOnScreen && document.visibilityState === 'visible')
    const observer = new IntersectionObserver((entries) => {
      isOnScreen = entries.at(-1)?.isIntersecting ?? false
      update()
    })
    observer.observe(element.current)
    document.addEventListener('visibilitychange', update)
    return () => {
      observer.disconnect()
      document.removeEventListener('visibilitychange', update)
    }
  }, [element])
  return isSeen
}

/** A link to the thread scrolls to it, once it is there. */
function useAnchor(region: RefObject<HTMLElement | null>, isLoaded: boolean): void {
  const { key } = useLocation()
  const followed = useRef('')
  useEffect(() => {
    if (!isLoaded || followed.current === key || location.hash !== `#${THREAD_ELEMENT}`) return undefined
    followed.current = key
    // after the router has scrolled to the top
    const frame = requestAnimationFrame(() => {
      region.current?.focus({ preventScroll: true })
      region.current?.scrollIntoView({ block: 'start' })
    })
    return () => cancelAnimationFrame(frame)
  }, [region, key, isLoaded])
}
