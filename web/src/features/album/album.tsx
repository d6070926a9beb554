import { useEffect, useRef, useState } from 'react'
import type { Song } from '@prelude/contracts'
import { sentenceOf } from '../../api/client.ts'
import { type SongFilter, useSongs } from '../../api/queries.ts'
import { messages } from '../../messages.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import styles from './album.module.css'
import { AlbumItem } from './album-item.tsx'

const TYPING_MS = 250

/** The person's requests, newest first; more are read as one scrolls. */
export function Album() {
  const [filter, setFilter] = useState<SongFilter>({ q: '', status: '' })
  const [selling, setSelling] = useState(false)
  const songs = useSongs(filter)
  const items = songs.data?.pages.flatMap((page) => page.items) ?? []
  const end = useEndInSight(items.length, () => {
    if (songs.hasNextPage && !songs.isFetchingNextPage) void songs.fetchNextPage()
  })
  return (
    <section className={styles.album} aria-label={messages.album.title}>
      <div className={styles.head}>
        <h2>{messages.album.title}</h2>
        <Tools onChange={setFilter} />
      </div>
      {songs.isPending && <Bones />}
      {songs.isError && items.length === 0 && (
        <div className={styles.note} role="alert">
          {sentenceOf(songs.error)}
          <br />
          <Button small onClick={() => void songs.refetch()}>
            {messages.tryAgain}
          </Button>
        </div>
      )}
      {songs.isSuccess && items.length === 0 && (
        <p className={styles.note}>
          {filter.q === '' && filter.status === '' ? messages.emptyAlbum : messages.album.noMatch}
        </p>
      )}
      <ul>
        {items.map((song: Song) => (
          <AlbumItem key={song.id} song={song} onSell={() => setSelling(true)} />
        ))}
      </ul>
      <div ref={end}>{songs.isFetchingNextPage && <Bones />}</div>
      <Dialog title={messages.album.comingSoon} open={selling} onOpenChange={setSelling}>
        <p>{messages.comingSoon}</p>
      </Dialog>
    </section>
  )
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

function Bones() {
  return (
    <div aria-hidden>
      <div className={styles.bone} />
      <div className={styles.bone} />
      <div className={styles.bone} />
    </div>
  )
}

/** Calls `onSight` when the element comes near the window, and again when it still is after `count` has changed. */
function useEndInSight(count: number, onSight: () => void) {
  const element = useRef<HTMLDivElement>(null)
  const latest = useRef(onSight)
  useEffect(() => {
    latest.current = onSight
  })
  useEffect(() => {
    if (count === 0) return undefined
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) latest.current()
      },
      { rootMargin: '600px' },
    )
    if (element.current) observer.observe(element.current)
    return () => observer.disconnect()
  }, [count])
  return element
}
