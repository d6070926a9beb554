import { Play } from 'lucide-react'
import { memo, useRef } from 'react'
import type { Song } from '@prelude/contracts'
import type { OptimisticSong } from '../../state/optimistic-song.ts'
import { versionsOf } from '../../audio/version-switch.tsx'
import { useOverlays } from '../../state/overlays.ts'
import { messages, useLanguage } from '../../messages.ts'
import { Link } from '../../router.tsx'
import { Reel } from '../../ui/brand.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Menu } from '../../ui/menu.tsx'
import { songName } from '../../text/song-name.ts'
import { ALBUM_LYRICS_POINTS, ALBUM_STYLE_POINTS, truncate } from '../../text/truncate.ts'
import { useAlbum } from './album-context.tsx'
import styles from './album.module.css'
import { OrderStatus } from './order-status.tsx'
import { SongTitle } from './song-title.tsx'
import { stepsOf } from './steps.ts'
import { Timeline } from './timeline.tsx'

/** Memoised: an album of a thousand songs must not render them all when one changes. */
export const AlbumItem = memo(function AlbumItem({ song }: { song: Song }) {
  useLanguage()
  return (
    <div role="listitem" className={styles.item}>
      <div className={styles.texts}>
        <div className={styles.line}>
          <SongTitle song={song}>
            <Link to={`/songs/${song.id}`} dir="auto" className={styles.style}>
              {truncate(songName(song), ALBUM_STYLE_POINTS)}
            </Link>
            {song.title === null && <CopyStyle song={song} />}
          </SongTitle>
        </div>
        {song.title !== null && (
          <div className={styles.line}>
            <span dir="auto" className={styles.lyrics}>
              {truncate(song.style, ALBUM_STYLE_POINTS)}
            </span>
            <CopyStyle song={song} />
          </div>
        )}
        <div className={styles.line}>
          <span dir="auto" className={styles.lyrics}>
            {truncate(song.lyrics, ALBUM_LYRICS_POINTS)}
          </span>
          <CopyButton label={messages.album.copyLyrics} text={song.lyrics} done={messages.lyricsCopied} />
        </div>
        <Timeline steps={stepsOf(song)} />
        <OrderStatus song={song} />
      </div>
      <div className={styles.actions}>
        <Actions song={song} />
      </div>
    </div>
  )
})

const CopyStyle = ({ song }: { song: Song }) => (
  <CopyButton label={messages.album.copyStyle} text={song.style} done={messages.styleCopied} />
)

/** A request in flight, before the server has answered. */
export function OptimisticItem({ song }: { song: OptimisticSong }) {
  return (
    <div role="listitem" className={styles.item} aria-busy>
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
    </div>
  )
}

/** What a row offers first. */
export function Actions({ song }: { song: Song }) {
  const { topUp } = useAlbum()
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
  const { sell } = useAlbum()
  const download = useRef<HTMLSpanElement>(null)
  const versions = versionsOf(song)
  const play = useRef<HTMLButtonElement>(null)
  return (
    <>
      {versions[0] !== undefined && (
        <IconButton
          ref={play}
          label={messages.album.play(truncate(songName(song), ALBUM_STYLE_POINTS))}
          onClick={() =>
            overlays.openPlayer({
              song,
              version: song.preferred ?? versions[0] ?? 1,
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
                song,
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
