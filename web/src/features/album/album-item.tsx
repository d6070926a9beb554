import { Play } from 'lucide-react'
import { createContext, memo, useContext, useRef } from 'react'
import { type Song, SONG_PRICE_CREDITS } from '@prelude/contracts'
import type { OptimisticSong } from '../../api/optimistic-song.ts'
import { useOverlays } from '../../ui/overlays.ts'
import { messages, useLanguage } from '../../messages.ts'
import { Reel } from '../../ui/brand.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Menu } from '../../ui/menu.tsx'
import { ALBUM_LYRICS_POINTS, ALBUM_STYLE_POINTS, truncate } from '../../ui/truncate.ts'
import styles from './album.module.css'
import { stepsOf } from './steps.ts'
import { Timeline } from './timeline.tsx'

/** Values that all items of the album share. */
export interface AlbumContextValue {
  /** Undefined until known. */
  readonly balance: number | undefined
  /** Opens the top-up dialog with the amount missing for this request. */
  readonly topUp: (songId: string) => void
  readonly sell: () => void
}

export const AlbumContext = createContext<AlbumContextValue>({
  balance: undefined,
  topUp: () => {},
  sell: () => {},
})

/** Memoised: an album of a thousand songs must not render them all when one changes. */
export const AlbumItem = memo(function AlbumItem({ song }: { song: Song }) {
  useLanguage()
  return (
    <li className={styles.item}>
      <div className={styles.texts}>
        <div className={styles.line}>
          <span dir="auto" className={styles.style}>
            {truncate(song.style, ALBUM_STYLE_POINTS)}
          </span>
          <CopyButton label={messages.album.copyStyle} text={song.style} done={messages.styleCopied} />
        </div>
        <div className={styles.line}>
          <span dir="auto" className={styles.lyrics}>
            {truncate(song.lyrics, ALBUM_LYRICS_POINTS)}
          </span>
          <CopyButton label={messages.album.copyLyrics} text={song.lyrics} done={messages.lyricsCopied} />
        </div>
        <Timeline steps={stepsOf(song)} />
        <StatusText song={song} />
      </div>
      <div className={styles.actions}>
        <Actions song={song} />
      </div>
    </li>
  )
})

/** A request in flight, before the server has answered. */
export function OptimisticItem({ song }: { song: OptimisticSong }) {
  return (
    <li className={styles.item} aria-busy>
      <div className={styles.texts}>
        <div className={styles.line}>
          <span dir="auto" className={styles.style}>
            {truncate(song.style, ALBUM_STYLE_POINTS)}
          </span>
        </div>
        <div className={styles.line}>
          <span dir="auto" className={styles.lyrics}>
            {truncate(song.lyrics, ALBUM_LYRICS_POINTS)}
          </span>
        </div>
        <p className={`mono ${styles.sending}`}>
          <Reel /> {messages.album.sending}
        </p>
      </div>
    </li>
  )
}

/** The state of a song that is not ready, in words. */
function StatusText({ song }: { song: Song }) {
  if (song.status === 'ready') return null
  if (song.status !== 'pending') return <Closed song={song} />
  if (song.charge === 'declined') return <LowCredits />
  const text = {
    charged: messages.mailWhenReady,
    deciding: messages.album.deciding,
    refunded: song.refundReason ? (
      <>
        {messages.album.refunded}: <bdi>{song.refundReason}</bdi>
      </>
    ) : (
      messages.album.refunded
    ),
    gift: null,
  }[song.charge]
  return <p className={`mono ${styles.state}`}>{text}</p>
}

function Closed({ song: { charge, closedReason } }: { song: Song }) {
  return (
    <p className={`mono ${styles.state}`}>
      {charge === 'refunded' && <span>{messages.album.refunded}</span>}
      {closedReason !== null && <bdi>{closedReason}</bdi>}
    </p>
  )
}

function LowCredits() {
  const { balance } = useContext(AlbumContext)
  return (
    <p className={`mono ${styles.state}`}>
      <span className={styles.low}>{messages.lowCredits}</span>
      {balance !== undefined && <span>{messages.needs(SONG_PRICE_CREDITS, balance)}</span>}
    </p>
  )
}

function Actions({ song }: { song: Song }) {
  const { topUp } = useContext(AlbumContext)
  if (song.status === 'ready') return <ReadyActions song={song} />
  if (song.status !== 'pending') return null
  if (song.charge === 'declined')
    return (
      <Button small variant="primary" onClick={() => topUp(song.id)}>
        {messages.album.topUp}
      </Button>
    )
  if (song.charge === 'refunded') return null
  return (
    <Button small disabled>
      {messages.cooking}
    </Button>
  )
}

function ReadyActions({ song }: { song: Song }) {
  const overlays = useOverlays()
  const { sell } = useContext(AlbumContext)
  const download = useRef<HTMLSpanElement>(null)
  const versions = ([1, 2] as const).filter((n) => (n === 1 ? song.downloadUrl1 : song.downloadUrl2) !== null)
  const play = useRef<HTMLButtonElement>(null)
  return (
    <>
      {versions[0] !== undefined && (
        <IconButton
          ref={play}
          label={messages.album.play(truncate(song.style, ALBUM_STYLE_POINTS))}
          onClick={() =>
            overlays.openPlayer({
              songId: song.id,
              version: versions[0] ?? 1,
              returnFocus: () => play.current?.focus(),
            })
          }
        >
          <span className={styles.play}>
            <Play aria-hidden size={16} fill="currentColor" />
          </span>
        </IconButton>
      )}
      <span ref={download}>
        <Menu
          label={messages.album.download}
          entries={versions.map((version) => ({
            label: messages.version(version),
            dot: version === 1 ? 'var(--record)' : 'var(--teal)',
            onSelect: () =>
              overlays.openPlayer({
                songId: song.id,
                version,
                returnFocus: () => download.current?.querySelector('button')?.focus(),
              }),
          }))}
        />
      </span>
      <Button small onClick={sell}>
        {messages.album.sell}
      </Button>
    </>
  )
}
