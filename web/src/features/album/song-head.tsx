import { Pencil, Star } from 'lucide-react'
import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { MAX_TITLE, type Song } from '@prelude/contracts'
import { messages } from '../../messages.ts'
import { songName } from '../../text/song-name.ts'
import { truncate } from '../../text/truncate.ts'
import { Button, buttonClass, IconButton } from '../../ui/button.tsx'
import { Cover } from '../../ui/cover.tsx'
import { usePageTitle } from '../../state/title.ts'
import { useAlbum } from './album-context.tsx'
import { canCancel, isClosed } from './order.ts'
import styles from './song-head.module.css'
import { askAgain, SongMenu } from './song-menu.tsx'
import { SongState } from './song-state.tsx'
import { TitleForm } from './song-title.tsx'
import { useSongAction } from './use-song-action.ts'

/** Cover, title, state and actions of a song. `isAsking`: the form for changes has the main action. */
export function SongHead({ song, isAsking }: { song: Song; isAsking: boolean }) {
  return (
    <header className={styles.head}>
      <Cover songId={song.id} className={styles.cover} />
      <Title song={song} />
      <SongState song={song} className={styles.state} />
      <div className={`row ${styles.actions}`}>
        <Actions song={song} isAsking={isAsking} />
      </div>
    </header>
  )
}

function Title({ song }: { song: Song }) {
  const title = truncate(songName(song), MAX_TITLE)
  usePageTitle(title)
  const [isRenaming, setRenaming] = useState(false)
  const rename = useRef<HTMLButtonElement>(null)
  const { busy, mark } = useSongAction(song.id)
  const close = (): void => {
    flushSync(() => setRenaming(false))
    rename.current?.focus()
  }
  return (
    <div className={styles.title}>
      <h1 dir="auto">{title}</h1>
      {isRenaming ? (
        <TitleForm song={song} onDone={close} />
      ) : (
        <span className={styles.marks}>
          <IconButton ref={rename} label={messages.library.rename} onClick={() => setRenaming(true)}>
            <Pencil aria-hidden size={18} />
          </IconButton>
          <IconButton
            label={messages.library.favourite}
            aria-pressed={song.favourite}
            aria-busy={busy}
            onClick={() => void mark({ favourite: !song.favourite })}
          >
            <Star aria-hidden size={20} fill={song.favourite ? 'currentColor' : 'none'} />
          </IconButton>
          <SongMenu song={song} />
        </span>
      )}
    </div>
  )
}

function Actions({ song, isAsking }: { song: Song; isAsking: boolean }) {
  const { topUp, cancel, share } = useAlbum()
  return (
    <>
      {song.status === 'pending' && song.charge === 'declined' && (
        <Button variant="primary" onClick={() => topUp(song.id)}>
          {messages.album.topUp}
        </Button>
      )}
      {canCancel(song) && <Button onClick={() => cancel(song)}>{messages.order.cancel}</Button>}
      {/* a refund ends all links and the licence */}
      {song.status === 'ready' && song.charge !== 'refunded' && (
        <>
          <Button variant={isAsking ? 'outline' : 'primary'} onClick={() => share(song)}>
            {messages.sharing.share}
          </Button>
          <a
            className={buttonClass()}
            href={`/api/songs/${song.id}/certificate.pdf`}
            target="_blank"
            rel="noreferrer"
          >
            {messages.licence.title}
          </a>
        </>
      )}
      {isClosed(song) && (
        <Button variant="primary" onClick={() => askAgain(song)}>
          {messages.library.askAgain}
        </Button>
      )}
    </>
  )
}
