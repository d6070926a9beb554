import { memo, useEffect, useMemo, useRef, useState } from 'react'
import type { Song } from '@prelude/contracts'
import { errorMessage } from '../../api/client.ts'
import { loadMore } from '../../api/pages.ts'
import { matchesFilter, type SongFilter, useHasArchived, useSongs } from '../../api/songs.ts'
import { type OptimisticSong, useOptimisticSong } from '../../state/optimistic-song.ts'
import { messages } from '../../messages.ts'
import { Reel } from '../../ui/brand.tsx'
import { Button } from '../../ui/button.tsx'
import { Cassette } from '../../ui/cassette.tsx'
import { SEARCH_DELAY_MS, useDebounced } from '../../state/debounced.ts'
import { songName } from '../../text/song-name.ts'
import { ALBUM_STYLE_POINTS, truncate } from '../../text/truncate.ts'
import styles from './album.module.css'
import { AlbumProvider } from './album-context.tsx'
import { useKeptFilter } from './album-filter.ts'
import { AlbumItem, OptimisticItem } from './album-item.tsx'

/** After so many pages, the first one included, a button loads the next one, so that the footer can be reached. */
const PAGES_ON_SCROLLING = 4

/** The person's requests. */
export function Album({ uid }: { uid: string }) {
  const [filter, setFilter] = useKeptFilter(uid)
  const songs = useSongs(filter)
  const { data } = songs
  const items = useMemo(() => data?.pages.flatMap((page) => page.items) ?? [], [data])
  const sending = useUnlistedSong(items, filter)
  const needsButton = songs.isFetchNextPageError || (data?.pages.length ?? 0) >= PAGES_ON_SCROLLING
  // not while the list is fetched: one fetch would cancel the other
  const loadsOnScrolling = songs.hasNextPage && !songs.isFetching && !needsButton
  const sentinel = useInfiniteScroll(loadsOnScrolling, () => void songs.fetchNextPage())
  const isFiltered = filter.q !== '' || filter.show !== ''
  const isEmpty = songs.isSuccess && items.length === 0 && sending === null
  const hasArchived = useHasArchived(isEmpty && !isFiltered)
  return (
    <section className={styles.album} aria-label={messages.album.title}>
      <div className={`row split head ${styles.head}`}>
        <h2 className="title">{messages.album.title}</h2>
        {(isFiltered || items.length > 0 || hasArchived) && <Filters initial={filter} onChange={setFilter} />}
      </div>
      {songs.isPending && songs.failureCount >= FAILURES_BEFORE_NOTICE && (
        <RetryNotice error={songs.failureReason} />
      )}
      {songs.isError && items.length === 0 && (
        <div className={styles.note} role="alert">
          {errorMessage(songs.error)}
          <br />
          <Button small busy={songs.isFetching} onClick={() => void songs.refetch()}>
            {messages.tryAgain}
          </Button>
        </div>
      )}
      {/* there before its text: a screen reader announces what is put into a region */}
      <p
        role="status"
        className={isEmpty && isFiltered ? `stack gap-5 soft dashed ${styles.empty}` : 'visually-hidden'}
      >
        {isEmpty && isFiltered && messages.album.noMatch}
        {isFiltered && items.length > 0 && !songs.isPlaceholderData && messages.library.shown(items.length)}
      </p>
      {isEmpty && !isFiltered && <EmptyAlbum />}
      <div aria-busy={songs.isPending || songs.isPlaceholderData} className={styles.list}>
        {songs.isPending && songs.failureCount < FAILURES_BEFORE_NOTICE && <Skeleton />}
        <AlbumProvider songs={items}>
          {(sending || items.length > 0) && (
            <div role="list" aria-label={messages.album.title}>
              {sending && <OptimisticItem song={sending} />}
              {data?.pages.map((page, index) => (
                // oxlint-disable-next-line react/no-array-index-key -- pages have no id but their index
                <SongChunks key={index} songs={page.items} />
              ))}
            </div>
          )}
        </AlbumProvider>
      </div>
      <div ref={sentinel} aria-busy={songs.isFetchingNextPage} className={styles.end}>
        {songs.isFetchingNextPage && <Skeleton />}
        {songs.hasNextPage && needsButton && (
          <Button small busy={songs.isFetchingNextPage} onClick={() => void loadMore(songs)}>
            {songs.isFetchNextPageError ? messages.tryAgain : messages.statement.more}
          </Button>
        )}
      </div>
      <ReadyAnnouncement items={items} />
    </section>
  )
}

const CHUNK_SIZE = 10

/**
 * One page of songs in chunks, which are no lists of their own. Each is laid out only near the viewport (content-visibility),
 * and memoised by page: an album of a thousand songs costs as much as a short one.
 */
const SongChunks = memo(function SongChunks({ songs }: { songs: readonly Song[] }) {
  const count = Math.ceil(songs.length / CHUNK_SIZE)
  // counted from the end: a new song on top must not move others to another chunk, where they would remount and lose the focus
  return Array.from({ length: count }, (_one, index) => {
    const end = songs.length - (count - 1 - index) * CHUNK_SIZE
    return (
      <div key={count - index} className={styles.chunk}>
        {songs.slice(Math.max(0, end - CHUNK_SIZE), end).map((song) => (
          <AlbumItem key={song.id} song={song} />
        ))}
      </div>
    )
  })
})

/** Announces to screen readers which song has become ready. */
function ReadyAnnouncement({ items }: { items: readonly Song[] }) {
  const [known, setKnown] = useState(items)
  const [text, setText] = useState('')
  if (known !== items) {
    const pending = new Set(known.filter(({ status }) => status === 'pending').map(({ id }) => id))
    const ready = items.find(({ id, status }) => status === 'ready' && pending.has(id))
    setKnown(items)
    if (ready) setText(messages.album.nowReady(truncate(songName(ready), ALBUM_STYLE_POINTS)))
  }
  return (
    <p role="status" className="visually-hidden">
      {text}
    </p>
  )
}

/** Failures after which the skeleton is replaced by the error and "trying again". */
const FAILURES_BEFORE_NOTICE = 2

function RetryNotice({ error }: { error: unknown }) {
  return (
    <div className={`stack gap-5 soft dashed ${styles.empty}`} role="status">
      <Cassette className={styles.cassette} tape="spilled" />
      <p>{errorMessage(error)}</p>
      <p className="waiting">
        <Reel /> {messages.unreachable.retrying}
      </p>
    </div>
  )
}

function EmptyAlbum() {
  return (
    <div className={`stack gap-5 soft dashed ${styles.empty}`}>
      <Cassette className={styles.cassette} tape="none" />
      <p>{messages.emptyAlbum}</p>
    </div>
  )
}

/** The request in flight until the list contains it: the live event may arrive before the response. */
function useUnlistedSong(items: readonly Song[], filter: SongFilter): OptimisticSong | null {
  const sending = useOptimisticSong()
  const newest = items[0]
  const [before, setBefore] = useState<{ sending: OptimisticSong | null; id: string }>({
    sending: null,
    id: '',
  })
  if (before.sending !== sending) setBefore({ sending, id: newest?.id ?? '' })
  if (sending === null || !matchesFilter({ ...sending, status: 'pending' }, filter)) return null
  const isListed = newest !== undefined && newest.id !== before.id && newest.style === sending.style
  return isListed ? null : sending
}

function Filters(props: { initial: SongFilter; onChange: (filter: SongFilter) => void }) {
  const { initial, onChange } = props
  const [filter, setFilter] = useState(initial)
  const settled = useDebounced(filter, SEARCH_DELAY_MS)
  useEffect(() => onChange(settled), [settled, onChange])
  return (
    <div className={`row ${styles.filters}`}>
      <input
        className={styles.filter}
        type="search"
        aria-label={messages.album.search}
        placeholder={messages.album.searchPlaceholder}
        value={filter.q}
        onChange={(event) => setFilter({ ...filter, q: event.target.value })}
      />
      <select
        className={styles.filter}
        aria-label={messages.album.show}
        value={filter.show}
        onChange={(event) => setFilter({ ...filter, show: event.target.value as SongFilter['show'] })}
      >
        <option value="">{messages.album.all}</option>
        <option value="pending">{messages.album.pending}</option>
        <option value="ready">{messages.album.ready}</option>
        <option value="closed">{messages.album.closed}</option>
        <option value="favourite">{messages.library.favourites}</option>
        <option value="archived">{messages.library.archived}</option>
      </select>
      <select
        className={styles.filter}
        aria-label={messages.library.sort}
        value={filter.sort}
        onChange={(event) => setFilter({ ...filter, sort: event.target.value as SongFilter['sort'] })}
      >
        <option value="newest">{messages.library.newest}</option>
        <option value="title">{messages.library.byTitle}</option>
      </select>
    </div>
  )
}

const SKELETON_ROWS = [1, 2, 3]

function Skeleton() {
  return (
    <div aria-hidden>
      {SKELETON_ROWS.map((row) => (
        <div key={row} className={`stack ${styles.skeleton}`}>
          <span />
          <span />
          <span />
        </div>
      ))}
    </div>
  )
}

/** Calls `onEnd` when the returned element is near the viewport and `enabled` is true. */
function useInfiniteScroll(enabled: boolean, onEnd: () => void) {
  const element = useRef<HTMLDivElement>(null)
  const latest = useRef(onEnd)
  useEffect(() => {
    latest.current = onEnd
  })
  useEffect(() => {
    if (!enabled) return undefined
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) latest.current()
      },
      { rootMargin: '600px' },
    )
    if (element.current) observer.observe(element.current)
    return () => observer.disconnect()
  }, [enabled])
  return element
}
