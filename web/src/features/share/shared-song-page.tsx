import { Pause, Play } from 'lucide-react'
import { useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import { type SharedSong, withLineFeeds } from '@prelude/contracts'
import { ApiProblem, call, errorMessage, isTemporary } from '../../api/client.ts'
import { useSharedSong } from '../../api/shares.ts'
import { useMediaMetadata } from '../../audio/media-session.ts'
import { SeekBar } from '../../audio/seek-bar.tsx'
import { positionWithin, seek, usePauseOnUnmount, useSound } from '../../audio/shared-audio.ts'
import { waveformQuery } from '../../audio/use-waveform.ts'
import { takeColours } from '../../audio/version-switch.tsx'
import { messages, siteConfig } from '../../messages.ts'
import { buttonClass } from '../../ui/button.tsx'
import { MadeText } from '../../ui/made-text.tsx'
import { Notice } from '../../ui/notice.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { SaveLink } from '../../ui/save-link.tsx'
import { formatDuration } from '../../text/time.ts'
import { usePageTitle } from '../../ui/title.ts'
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
  const [chosenN, setChosen] = useState(song.versions[0]?.n)
  const chosen = song.versions.find(({ n }) => n === chosenN)
  return (
    <section className={styles.page}>
      <img className={styles.cover} src={`/s/${token}/cover.png`} alt="" width={1200} height={630} />
      <h1 dir="auto">{song.title}</h1>
      {song.artist !== null && <p dir="auto">{messages.share.by(song.artist)}</p>}
      <div className={styles.versions}>
        {song.versions.map((version) => (
          <PlayButton
            key={version.n}
            file={fileOf(token, song, version.n)}
            title={song.title}
            onPlay={() => {
              setChosen(version.n)
              onPlay()
            }}
          />
        ))}
      </div>
      {chosen && <Seek file={fileOf(token, song, chosen.n)} durationMs={chosen.durationMs} />}
      {song.download && (
        <div className={styles.versions}>
          {song.versions.map(({ n }) => (
            <SaveLink
              key={n}
              className={buttonClass('outline', true)}
              href={`/api/shares/${token}/versions/${n}?download=1`}
            >
              {messages.share.download(messages.version(n))}
            </SaveLink>
          ))}
        </div>
      )}
      {song.versions.map(({ n, made }) => (
        <p key={n}>
          {messages.version(n)}: <MadeText made={made} />
        </p>
      ))}
      {song.lyrics !== null && (
        <p dir="auto" className={styles.lyrics}>
          {withLineFeeds(song.lyrics)}
        </p>
      )}
    </section>
  )
}

interface File {
  readonly token: string
  readonly n: 1 | 2
  /** Where all versions of the song are. */
  readonly of: string
  /** Also its sound's id. */
  readonly src: string
  readonly updatedAt: number
}

/** Of the newest take of a version: `updatedAt` changes when it becomes another file. */
const fileOf = (token: string, { updatedAt }: SharedSong, n: 1 | 2): File => {
  const of = `/api/shares/${token}/versions/`
  return { token, n, of, src: `${of}${n}?at=${updatedAt}`, updatedAt }
}

function PlayButton({ file, title, onPlay }: { file: File; title: string; onPlay: () => void }) {
  const { n, of, src } = file
  const sound = useSound(src, src)
  usePauseOnUnmount(src)
  useMediaMetadata(sound.isCurrent, title, siteConfig.brand)
  return (
    <button
      type="button"
      className={`${buttonClass()} ${styles.play}`}
      style={takeColours(n)}
      aria-pressed={sound.playing}
      aria-busy={sound.loading}
      onClick={() => {
        // the other version goes on from the same place, so that both can be compared
        const fromMs = positionWithin(of)
        sound.toggle(sound.isCurrent || fromMs === 0 ? {} : { fromMs })
        onPlay()
      }}
    >
      {sound.playing ? <Pause aria-hidden size={18} /> : <Play aria-hidden size={18} />}{' '}
      {messages.share.play(messages.version(n))}
    </button>
  )
}

/** Waveform and slider of the version that was played last. */
function Seek({ file: { token, n, src, updatedAt }, durationMs }: { file: File; durationMs: number }) {
  const sound = useSound(src, src)
  const wave = useQuery(
    waveformQuery(src, 0, updatedAt, (signal) =>
      call('GET /api/shares/:id/versions/:n/waveform', { params: { id: token, n }, signal, lenient: true }),
    ),
  )
  return (
    <>
      <SeekBar
        className={styles.seek}
        version={n}
        wave={wave}
        positionMs={sound.positionMs}
        durationMs={durationMs}
        height={64}
        onSeek={(ms) => seek(src, ms)}
      />
      <span className="mono">
        {formatDuration(sound.positionMs)} / {formatDuration(durationMs)}
      </span>
      {sound.blocked && <p>{messages.player.pressPlay}</p>}
      {sound.failed && <p role="alert">{messages.player.failed}</p>}
    </>
  )
}
