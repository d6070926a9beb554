import { ChevronLeft } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { changesUntil, type Me, type Song } from '@prelude/contracts'
import { ApiProblem } from '../../api/client.ts'
import { useSong } from '../../api/songs.ts'
import { format, messages, siteConfig } from '../../messages.ts'
import { consumeState, Link, useLocation } from '../../router.tsx'
import { Notice } from '../../ui/notice.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { SignInFirst } from '../../ui/sign-in-first.tsx'
import { Thread } from '../../thread/thread.tsx'
import { AlbumProvider } from './album-context.tsx'
import { Answer } from './answer.tsx'
import { Changes } from './changes.tsx'
import { hasSongDraft } from './song-draft.ts'
import { SongHead } from './song-head.tsx'
import styles from './song-page.module.css'
import { Versions } from './versions.tsx'
import { Words } from './words.tsx'

/** Everything about one song, for its owner. */
export default function SongPage({ me, songId }: { me: Me | null; songId: string }) {
  if (!me) return <SignInFirst tape="recording" title={messages.home.title} />
  return <OwnSong key={songId} uid={me.uid} songId={songId} />
}

function OwnSong({ uid, songId }: { uid: string; songId: string }) {
  const query = useSong(songId)
  const { data: song, error } = query
  const isMissing = error instanceof ApiProblem && error.status === 404
  // the operator may read every song, but this page is its owner's
  if (isMissing || (song && song.uid !== uid))
    return (
      <Notice tape="none" title={messages.song.notFound}>
        <p>{messages.song.notFoundText}</p>
        <Link to="/">{messages.song.back}</Link>
      </Notice>
    )
  if (!song) return <QueryState query={query} />
  return <Page song={song} />
}

function Page({ song }: { song: Song }) {
  const { state } = useLocation()
  const wantsChanges = (state as { askChanges?: boolean } | null)?.askChanges === true
  const [wasAsked, setWasAsked] = useState(wantsChanges || hasSongDraft('changes', song))
  useEffect(() => {
    if (wantsChanges) consumeState()
  }, [wantsChanges])
  const region = useRef<HTMLElement>(null)
  // counts the presses of "Ask for changes": each leads to the form
  const [asked, setAsked] = useState(wantsChanges ? 1 : 0)
  useEffect(() => {
    if (asked === 0) return
    region.current?.focus({ preventScroll: true })
    region.current?.scrollIntoView({ block: 'start' })
  }, [asked])
  const isAsking = wasAsked && changesUntil(song, siteConfig) !== null
  const askChanges = (): void => {
    setWasAsked(true)
    setAsked(asked + 1)
  }
  return (
    <AlbumProvider songs={useOne(song)}>
      <div className={`page ${styles.page}`}>
        <Link to="/" className={styles.back}>
          <ChevronLeft aria-hidden size={18} />
          {messages.song.back}
        </Link>
        <SongHead song={song} isAsking={isAsking} />
        {song.status === 'ready' && (
          <div className={`stack gap-6 ${styles.main}`}>
            <Versions song={song} />
            <Answer song={song} onAskChanges={askChanges} />
            {(isAsking || song.changes !== null) && <Changes song={song} asking={isAsking} region={region} />}
          </div>
        )}
        <div className={`card pale ${styles.words}`}>
          <Words song={song} />
        </div>
        <Thread song={song} side="owner" />
        <Timeline song={song} />
      </div>
    </AlbumProvider>
  )
}

/** The same array while the song is the same. */
function useOne(song: Song): readonly Song[] {
  const [one, setOne] = useState([song])
  if (one[0] !== song) setOne([song])
  return one
}

const Timeline = ({ song: { timeline } }: { song: Song }) => (
  <section aria-label={messages.song.history}>
    <h2>{messages.song.history}</h2>
    <ol aria-label={messages.song.timeline} className={styles.timeline}>
      {timeline.map(({ state, at }, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- a step may come twice, and none moves
        <li key={index} data-state={state}>
          <span>{messages.song.states[state]}</span>
          <time className="mono" dateTime={new Date(at).toISOString()}>
            {format.when(at)}
          </time>
        </li>
      ))}
    </ol>
  </section>
)
