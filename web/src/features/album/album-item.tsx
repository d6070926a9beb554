import { AudioLines, Download, Play, Star } from 'lucide-react'
import { memo, type RefObject, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { changesUntil, isLate, type Song, threadAddress } from '@prelude/contracts'
import { usePlaying } from '../../audio/shared-audio.ts'
import { COLOURS, takeColours, versionsOf } from '../../audio/version-switch.tsx'
import { messages, siteConfig, useLanguage } from '../../messages.ts'
import { Link, navigate } from '../../router.tsx'
import type { OptimisticSong } from '../../state/optimistic-song.ts'
import { useOverlays } from '../../state/overlays.ts'
import { songName } from '../../text/song-name.ts'
import { ALBUM_LYRICS_POINTS, ALBUM_STYLE_POINTS, truncate } from '../../text/truncate.ts'
import { Reel } from '../../ui/brand.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Cover } from '../../ui/cover.tsx'
import { Menu, type MenuEntry } from '../../ui/menu.tsx'
import { useAlbum } from './album-context.tsx'
import styles from './album-item.module.css'
import { canCancel, isClosed, saidEarlier } from './order.ts'
import { askAgain, SongMenu } from './song-menu.tsx'
import { SongState } from './song-state.tsx'
import { TitleForm } from './song-title.tsx'
import { useSongAction } from './use-song-action.ts'

/** Memoised: an album of a thousand songs must not render them all when one changes. */
export const AlbumItem = memo(function AlbumItem({ song }: { song: Song }) {
  useLanguage()
  const [isRenaming, setRenaming] = useState(false)
  const more = useRef<HTMLButtonElement>(null)
  const leave = (): void => {
    flushSync(() => setRenaming(false))
    more.current?.focus()
  }
  return (
    <div role="listitem" className={styles.item} data-song={song.id} data-status={song.status}>
      <div className={styles.cover}>
        <Cover songId={song.id} className={styles.picture} />
        {song.status === 'ready' && <PlayButton song={song} />}
      </div>
      {isRenaming ? (
        <div className={styles.form}>
          <p dir="auto" className="cut soft hint">
            {truncate(songName(song), ALBUM_STYLE_POINTS)}
            {song.title !== null && ` · ${truncate(song.style, ALBUM_STYLE_POINTS)}`}
          </p>
          <TitleForm song={song} onDone={leave} />
        </div>
      ) : (
        <>
          <Texts song={song} />
          <div className={styles.foot}>
            <SongState song={song} className={styles.state}>
              {song.messages.unread > 0 && (
                <Link to={threadAddress(song.id)}>{messages.thread.unread(song.messages.unread)}</Link>
              )}
            </SongState>
            <div className={`line ${styles.actions}`}>
              <Actions song={song} />
            </div>
          </div>
          <div className={styles.more}>
            <ItemMenu song={song} button={more} onRename={() => setRenaming(true)} />
          </div>
        </>
      )}
    </div>
  )
})

function Texts({ song }: { song: Song }) {
  const { favourite } = messages.library
  const copyStyle = (
    <CopyButton label={messages.album.copyStyle} text={song.style} done={messages.styleCopied} />
  )
  return (
    <div className={styles.texts}>
      <div className={`line gap-1 ${styles.line} ${song.title === null ? styles.untitled : ''}`}>
        <Link to={`/songs/${song.id}`} dir="auto" className={`cut ${styles.title}`}>
          {truncate(songName(song), ALBUM_STYLE_POINTS)}
        </Link>
        {song.title === null && copyStyle}
        {song.favourite && (
          <Star role="img" aria-label={favourite} size={15} fill="currentColor" className={styles.mark} />
        )}
      </div>
      {song.title !== null && (
        <div className={`line gap-1 ${styles.line}`}>
          <span dir="auto" className="cut soft hint">
            {truncate(song.style, ALBUM_STYLE_POINTS)}
          </span>
          {copyStyle}
        </div>
      )}
      <div className={`line gap-1 ${styles.line}`}>
        <span dir="auto" className="cut soft hint">
          {truncate(song.lyrics, ALBUM_LYRICS_POINTS)}
        </span>
        <CopyButton label={messages.album.copyLyrics} text={song.lyrics} done={messages.lyricsCopied} />
      </div>
    </div>
  )
}

/** A request in flight, before the server has answered. */
export function OptimisticItem({ song }: { song: OptimisticSong }) {
  return (
    <div role="listitem" className={styles.item} aria-busy>
      <div className={styles.cover} />
      <div className={styles.texts}>
        <div className={`line gap-1 ${styles.line}`}>
          <span dir="auto" className={`cut ${styles.title}`}>
            {truncate(song.style, ALBUM_STYLE_POINTS)}
          </span>
        </div>
        <div className={`line gap-1 ${styles.line}`}>
          <span dir="auto" className="cut soft hint">
            {truncate(song.lyrics, ALBUM_LYRICS_POINTS)}
          </span>
        </div>
      </div>
      <div className={styles.foot}>
        <p className={`line hint ${styles.sending}`}>
          <Reel /> {messages.album.sending}
        </p>
      </div>
    </div>
  )
}

/** Ink, and in the colour of the take while it plays. */
function PlayButton({ song }: { song: Song }) {
  const overlays = useOverlays()
  const button = useRef<HTMLButtonElement>(null)
  const playing = usePlaying(`song/${song.id}/`)
  const version = song.preferred ?? versionsOf(song)[0]
  if (version === undefined) return null
  return (
    <IconButton
      ref={button}
      className={styles.play}
      style={playing === null ? undefined : takeColours(playing.startsWith('1') ? 1 : 2)}
      label={messages.album.play(truncate(songName(song), ALBUM_STYLE_POINTS))}
      onClick={() => overlays.openPlayer({ song, version, returnFocus: () => button.current?.focus() })}
    >
      {playing === null ? (
        <Play aria-hidden size={18} fill="currentColor" />
      ) : (
        <AudioLines aria-hidden size={20} />
      )}
    </IconButton>
  )
}

/** What a row offers first. */
function Actions({ song }: { song: Song }) {
  const { topUp, cancel } = useAlbum()
  if (song.status === 'ready') return <ReadyActions song={song} />
  if (isClosed(song))
    return (
      <Button small onClick={() => askAgain(song)}>
        {messages.library.askAgain}
      </Button>
    )
  if (song.charge === 'declined')
    return (
      <Button small onClick={() => topUp(song.id)}>
        {messages.album.topUp}
      </Button>
    )
  if (!hasCancelButton(song)) return null
  return (
    <Button small className={styles.long} onClick={() => cancel(song)}>
      {messages.order.cancel}
    </Button>
  )
}

/** "Cancel request" is a button of the item, and not in its menu, while the song is late or promised for much later than its form said. */
const hasCancelButton = (song: Song): boolean =>
  canCancel(song) && (isLate(song) || saidEarlier(song) !== null)

function ReadyActions({ song }: { song: Song }) {
  const overlays = useOverlays()
  const { sell } = useAlbum()
  const download = useRef<HTMLButtonElement>(null)
  return (
    <>
      <Menu
        ref={download}
        name={messages.download}
        label={
          <>
            <Download aria-hidden size={16} />
            <span className={styles.label}>{messages.download}</span>
          </>
        }
        entries={versionsOf(song).map((version) => ({
          label: messages.version(version),
          dot: `var(${COLOURS[version]})`,
          onSelect: () =>
            overlays.openPlayer({
              song,
              version,
              isOpen: true,
              returnFocus: () => download.current?.focus(),
            }),
        }))}
      />
      <Button small onClick={sell}>
        {messages.album.sell}
      </Button>
    </>
  )
}

/** All that is rare. */
function ItemMenu(props: { song: Song; button: RefObject<HTMLButtonElement | null>; onRename: () => void }) {
  const { song, button, onRename } = props
  const { cancel, share } = useAlbum()
  const { busy, mark } = useSongAction(song.id)
  const { order, library } = messages
  // a refund ends all links and the licence
  const isKept = song.status === 'ready' && song.charge !== 'refunded'
  const entries: readonly (MenuEntry | false)[] = [
    canCancel(song) && !hasCancelButton(song) && { label: order.cancel, onSelect: () => cancel(song) },
    changesUntil(song, siteConfig) !== null && {
      label: order.askChanges,
      onSelect: () => navigate(`/songs/${song.id}`, { askChanges: true }),
    },
    isKept && { label: messages.sharing.share, onSelect: () => share(song) },
    {
      label: library.favourite,
      checked: song.favourite,
      onSelect: () => void mark({ favourite: !song.favourite }),
    },
    isKept && { label: messages.licence.title, href: `/api/songs/${song.id}/certificate.pdf` },
    { label: library.rename, onSelect: onRename },
  ]
  return <SongMenu ref={button} song={song} busy={busy} entries={entries.filter((one) => one !== false)} />
}
