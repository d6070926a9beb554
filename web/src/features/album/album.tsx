import { memo, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { Song } from '@prelude/contracts'
import { sentenceOf } from '../../api/client.ts'
import { matches, type SongFilter } from '../../api/pages.ts'
import { useCredits, useSongs } from '../../api/queries.ts'
import { type Sending, useSending } from '../../api/sending.ts'
import { messages } from '../../messages.ts'
import { Reel } from '../../ui/brand.tsx'
import { Button } from '../../ui/button.tsx'
import { Cassette } from '../../ui/cassette.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ALBUM_STYLE_POINTS, truncate } from '../../ui/truncate.ts'
import styles from './album.module.css'
import { AlbumItem, type Shared, SharedContext, SendingItem } from './album-item.tsx'
import { useTopUp } from './use-top-up.ts'

const TYPING_MS = 250

/** The person's requests, newest first; more are read as one scrolls. */
export function Album() {
  const [filter, setFilter] = useState<SongFilter>({ q: '', status: '' })
  const [selling, setSelling] = useState(false)
  const songs = useSongs(filter)
  const { data } = songs
  const items = useMemo(() => data?.pages.flatMap((page) => page.items) ?? [], [data])
  const sending = useOnItsWay(items, filter)
  const shared = useShared(
    items,
    useCallback(() => setSelling(true), []),
  )
  // never while the list is read: one reading ends the other
  const more = songs.hasNextPage && !songs.isFetching && !songs.isFetchNextPageError
  const end = useEndInSight(more, () => void songs.fetchNextPage())
  return (
    <section className={styles.album} aria-label={messages.album.title}>
      <div className={styles.head}>
        <h2>{messages.album.title}</h2>
        <Tools onChange={setFilter} />
      </div>
      {songs.isPending && songs.failureCount >= OFTEN && <Trying error={songs.failureReason} />}
      {songs.isError && items.length === 0 && (
        <div className={styles.note} role="alert">
          {sentenceOf(songs.error)}
          <br />
          <Button small busy={songs.isFetching} onClick={() => void songs.refetch()}>
            {messages.tryAgain}
          </Button>
        </div>
      )}
      {songs.isSuccess && items.length === 0 && sending === null && (
        <Empty isFiltered={filter.q !== '' || filter.status !== ''} />
      )}
      <div aria-busy={songs.isPending || songs.isPlaceholderData} className={styles.list}>
        {songs.isPending && songs.failureCount < OFTEN && <Bones />}
        {sending && (
          <ul>
            <SendingItem sending={sending} />
          </ul>
        )}
        <SharedContext value={shared}>
          {data?.pages.map((page, index) => (
            // oxlint-disable-next-line react/no-array-index-key: a page is known by its place alone
            <Stretches key={index} songs={page.items} />
          ))}
        </SharedContext>
      </div>
      <div ref={end} aria-busy={songs.isFetchingNextPage}>
        {songs.isFetchingNextPage && <Bones />}
      </div>
      <Arrivals items={items} />
      <Dialog title={messages.album.comingSoon} open={selling} onOpenChange={setSelling}>
        <p>{messages.comingSoon}</p>
      </Dialog>
    </section>
  )
}

const STRETCH = 10

/**
 * As much of the album as is read at once, in stretches that are each laid out and drawn when they come near, and none of
 * it again when another page changes: an album of a thousand songs costs like a short one.
 */
const Stretches = memo(function Stretches({ songs }: { songs: readonly Song[] }) {
  const count = Math.ceil(songs.length / STRETCH)
  // counted from the end: a new song on top moves no other one to another stretch, where it would lose the focus
  return Array.from({ length: count }, (_one, index) => {
    const end = songs.length - (count - 1 - index) * STRETCH
    return (
      <ul key={count - index} className={styles.stretch}>
        {songs.slice(Math.max(0, end - STRETCH), end).map((song) => (
          <AlbumItem key={song.id} song={song} />
        ))}
      </ul>
    )
  })
})

/** What all requests share is asked for once: a thousand of them that each ask make every answer a thousand times as dear. */
function useShared(items: readonly Song[], sell: () => void): Shared {
  const balance = useCredits()
  const topUp = useTopUp(useMemo(() => items.some(({ charge }) => charge === 'declined'), [items]))
  return useMemo(() => ({ balance, topUp, sell }), [balance, topUp, sell])
}

/** Says which song has become ready, to those who do not see its tape. */
function Arrivals({ items }: { items: readonly Song[] }) {
  const [known, setKnown] = useState(items)
  const [words, setWords] = useState('')
  if (known !== items) {
    const pending = new Set(known.filter(({ status }) => status === 'pending').map(({ id }) => id))
    const arrived = items.find(({ id, status }) => status === 'ready' && pending.has(id))
    setKnown(items)
    if (arrived) setWords(messages.album.arrived(truncate(arrived.style, ALBUM_STYLE_POINTS)))
  }
  return (
    <p role="status" className="visually-hidden">
      {words}
    </p>
  )
}

/** What failed that often is not said to be loading any more. */
const OFTEN = 2

function Trying({ error }: { error: unknown }) {
  return (
    <div className={styles.empty} role="status">
      <Cassette className={styles.blank} tape="spilled" />
      <p>{sentenceOf(error)}</p>
      <p className="mono waiting">
        <Reel /> {messages.away.trying}
      </p>
    </div>
  )
}

function Empty({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <p className={styles.empty}>{messages.album.noMatch}</p>
  return (
    <div className={styles.empty}>
      <Cassette className={styles.blank} tape="none" />
      <p>{messages.emptyAlbum}</p>
    </div>
  )
}

/** The request that is being sent, until the list has it: the live stream may be faster than the answer. */
function useOnItsWay(items: readonly Song[], filter: SongFilter): Sending | null {
  const sending = useSending()
  const newest = items[0]
  const [before, setBefore] = useState<{ sending: Sending | null; id: string }>({ sending: null, id: '' })
  if (before.sending !== sending) setBefore({ sending, id: newest?.id ?? '' })
  if (sending === null || !matches({ ...sending, status: 'pending' }, filter)) return null
  const isThere = newest !== undefined && newest.id !== before.id && newest.style === sending.style
  return isThere ? null : sending
}

function Tools({ onChange }: { onChange: (filter: SongFilter) => void }) {
  const [q, setQ] = useState('')
  const [status, setStatus] = useState<SongFilter['status']>('')
  useEffect(() => {
    const timer = setTimeout(() => onChange({ q, status }), TYPING_MS)
    return () => clearTimeout(timer)
  }, [q, status, onChange])
  return (
    <div className={styles.tools}>
      <input
        className={styles.tool}
        type="search"
        aria-label={messages.album.search}
        placeholder={messages.album.searchPlaceholder}
        value={q}
        onChange={(event) => setQ(event.target.value)}
      />
      <select
        className={styles.tool}
        aria-label={messages.album.show}
        value={status}
        onChange={(event) => setStatus(event.target.value as SongFilter['status'])}
      >
        <option value="">{messages.album.all}</option>
        <option value="pending">{messages.album.pending}</option>
        <option value="ready">{messages.album.ready}</option>
      </select>
    </div>
  )
}

const BONES = [1, 2, 3]

function Bones() {
  return (
    <div aria-hidden>
      {BONES.map((bone) => (
        <div key={bone} className={styles.bone}>
          <span />
          <span />
          <span />
        </div>
      ))}
    </div>
  )
}

/** Calls `onSight` when the element comes near the window, or is there already when there begins to be `more`. */
function useEndInSight(more: boolean, onSight: () => void) {
  const element = useRef<HTMLDivElement>(null)
  const latest = useRef(onSight)
  useEffect(() => {
    latest.current = onSight
  })
  useEffect(() => {
    if (!more) return undefined
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) latest.current()
      },
      { rootMargin: '600px' },
    )
    if (element.current) observer.observe(element.current)
    return () => observer.disconnect()
  }, [more])
  return element
}
