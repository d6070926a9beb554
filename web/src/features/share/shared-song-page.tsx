import { useQuery } from '@tanstack/react-query'
import { type SharedSong, withLineFeeds } from '@prelude/contracts'
import { ApiProblem, call, errorMessage, isTemporary } from '../../api/client.ts'
import { useSharedSong } from '../../api/shares.ts'
import { useMediaMetadata } from '../../audio/media-session.ts'
import { positionWithin, useCurrentId, usePauseOnUnmount, useSound } from '../../audio/shared-audio.ts'
import { TakeRow } from '../../audio/take-row.tsx'
import { waveformQuery } from '../../audio/use-waveform.ts'
import { messages, siteConfig } from '../../messages.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { MadeText } from '../../ui/made-text.tsx'
import { SaveLink } from '../../ui/save-link.tsx'
import { usePageTitle } from '../../state/title.ts'
import styles from './shared-song-page.module.css'

/** A song as a link shows it to anyone. */
export function SharedSongPage({ token }: { token: string }) {
  const song = useSharedSong(token)
  if (song.data) return <Shared token={token} song={song.data} onPlay={() => void song.refetch()} />
  if (song.error === null || isTemporary(song.error)) return <QueryState query={song} />
  const isUnknown = song.error instanceof ApiProblem && song.error.status === 404
  return (
    <Notice tape="spilled" title={isUnknown ? messages.notFound.title : errorMessage(song.error)}>
      {isUnknown && <p>{messages.notFound.text}</p>}
      <a href="/" className={buttonClass('primary')}>
        {messages.goHome}
      </a>
    </Notice>
  )
}

function Shared({ token, song, onPlay }: { token: string; song: SharedSong; onPlay: () => void }) {
  usePageTitle(song.title)
  const current = useCurrentId()
  const sounds = song.versions.map(({ n }) => soundOf(token, song, n))
  const chosen = sounds.includes(current ?? '') ? current : sounds[0]
  return (
    <section className={`page ${styles.page}`}>
      <header className={styles.head}>
        <img className={styles.cover} src={`/s/${token}/cover.png`} alt="" width={1200} height={630} />
        <div>
          <h1 dir="auto">{withLineFeeds(song.title)}</h1>
          {song.artist !== null && <p dir="auto">{messages.share.by(song.artist)}</p>}
        </div>
      </header>
      <ul>
        {song.versions.map((version) => (
          <Take
            key={version.n}
            token={token}
            song={song}
            version={version}
            isChosen={soundOf(token, song, version.n) === chosen}
            onPlay={onPlay}
          />
        ))}
      </ul>
      {song.lyrics !== null && (
        <p dir="auto" className={`verse ${styles.lyrics}`}>
          {withLineFeeds(song.lyrics)}
        </p>
      )}
      <p className={styles.made}>
        <a href="/">{messages.share.madeWith(siteConfig.brand)}</a>
      </p>
    </section>
  )
}

const addressOf = (token: string): string => `/api/shares/${token}/versions/`

/** Id and address of the newest take of a version: `updatedAt` changes when it becomes another file. */
const soundOf = (token: string, { updatedAt }: SharedSong, n: 1 | 2): string =>
  `${addressOf(token)}${n}?at=${updatedAt}`

function Take(props: {
  token: string
  song: SharedSong
  version: SharedSong['versions'][number]
  isChosen: boolean
  onPlay: () => void
}) {
  const { token, song, isChosen, onPlay } = props
  const { n, durationMs, made } = props.version
  const id = soundOf(token, song, n)
  const sound = useSound(id, id)
  usePauseOnUnmount(id)
  useMediaMetadata(sound.isCurrent, song.title, siteConfig.brand)
  const wave = useQuery(
    waveformQuery(id, 0, song.updatedAt, (signal) =>
      call('GET /api/shares/:id/versions/:n/waveform', { params: { id: token, n }, signal, lenient: true }),
    ),
  )
  const name = messages.version(n)
  return (
    <TakeRow
      id={id}
      sound={sound}
      version={n}
      playLabel={messages.player.playVersion(name)}
      label={name}
      made={<MadeText made={made} />}
      isChosen={isChosen}
      wave={wave}
      durationMs={durationMs}
      onToggle={() => {
        // the other version goes on from the same place, so that both can be compared
        const fromMs = positionWithin(addressOf(token))
        sound.toggle(sound.isCurrent || fromMs === 0 ? {} : { fromMs })
        onPlay()
      }}
    >
      {song.download && (
        <SaveLink
          className={buttonClass('outline', true)}
          href={`${addressOf(token)}${n}?download=1`}
          label={messages.share.download(name)}
        >
          {messages.download}
        </SaveLink>
      )}
    </TakeRow>
  )
}
