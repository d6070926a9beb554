import { type ReactNode, useEffect, useRef, useState } from 'react'
import { changesUntil, type Me, type Song } from '@prelude/contracts'
import { ApiProblem } from '../../api/client.ts'
import { useSong } from '../../api/songs.ts'
import { format, messages, siteConfig } from '../../messages.ts'
import { consumeState, Link, useLocation } from '../../router.tsx'
import { Notice } from '../../ui/notice.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { SignInFirst } from '../../ui/sign-in-first.tsx'
import { songName } from '../../text/song-name.ts'
import { usePageTitle } from '../../ui/title.ts'
import { ALBUM_STYLE_POINTS, truncate } from '../../text/truncate.ts'
import { AlbumProvider } from './album-context.tsx'
import { Actions } from './album-item.tsx'
import { Changes } from './changes.tsx'
import { OrderStatus } from './order-status.tsx'
import { hasSongDraft } from './song-draft.ts'
import styles from './song-page.module.css'
import { SongTitle } from './song-title.tsx'
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
  const title = song.title ?? truncate(songName(song), ALBUM_STYLE_POINTS)
  usePageTitle(title)
  const { state } = useLocation()
  const wantsChanges = (state as { askChanges?: boolean } | null)?.askChanges === true
  const [isAsking, setAsking] = useState(wantsChanges || hasSongDraft('changes', song))
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
  const asking = isAsking && changesUntil(song, siteConfig) !== null
  return (
    <AlbumProvider songs={useOne(song)}>
      <div className={styles.page}>
        <header className={styles.head}>
          <Link to="/">{messages.song.back}</Link>
          <div className={styles.title}>
            <SongTitle song={song}>
              <h1 dir="auto">{title}</h1>
            </SongTitle>
          </div>
          <OrderStatus
            song={song}
            main={song.charge === 'declined' && <Actions song={song} />}
            onAskChanges={() => {
              setAsking(true)
              setAsked(asked + 1)
            }}
          />
        </header>
        <div className={styles.main}>
          {song.status === 'ready' && <Versions song={song} />}
          {(asking || song.changes !== null) && <Changes song={song} asking={asking} region={region} />}
          <Words song={song} />
        </div>
        <Section title={messages.song.history}>
          <Timeline song={song} />
        </Section>
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

const Section = ({ title, children }: { title: string; children: ReactNode }) => (
  <section aria-label={title} className={styles.section}>
    <h2>{title}</h2>
    {children}
  </section>
)

function Timeline({ song: { timeline } }: { song: Song }) {
  return (
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
  )
}
