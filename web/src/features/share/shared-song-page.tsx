import { useQuery } from '@tanstack/react-query'
import { Pause, Play } from 'lucide-react'
import { useState } from 'react'
import { SHARED_SONG_ELEMENT, type SharedSong, type Waveform as WaveformData } from '@prelude/contracts'
import { api, ApiProblem, errorMessage, isTemporary } from '../../api/client.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { useMediaMetadata } from '../../audio/media-session.ts'
import { SeekBar } from '../../audio/seek-bar.tsx'
import { positionWithin, seek, usePauseOnUnmount, useSound } from '../../audio/shared-audio.ts'
import { takeColours } from '../../audio/version-switch.tsx'
import { messages, siteConfig } from '../../messages.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { SaveLink } from '../../ui/save-link.tsx'
import { formatDuration } from '../../ui/time.ts'
import { usePageTitle } from '../../ui/title.ts'
import styles from './shared-song-page.module.css'

type Version = SharedSong['versions'][number]

/** What the server wrote into the page; nothing when the link is over, or in development. */
function embeddedSong(): SharedSong | undefined {
  const text = document.getElementById(SHARED_SONG_ELEMENT)?.textContent
  return text === undefined ? undefined : (JSON.parse(text) as SharedSong)
}

/** A song as a link shows it to anyone. */
export function SharedSongPage({ token }: { token: string }) {
  const song = useQuery({
    queryKey: queryKeys.sharedSong(token),
    queryFn: ({ signal }) => api.get<SharedSong>(`/api/shares/${token}`, { signal }),
    initialData: embeddedSong,
  })
  if (song.data) return <Shared token={token} song={song.data} />
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

function Shared({ token, song }: { token: string; song: SharedSong }) {
  usePageTitle(song.title)
  const [chosen, setChosen] = useState(song.versions[0])
  return (
    <section className={styles.page}>
      <img className={styles.cover} src={`/s/${token}/cover.png`} alt="" width={1200} height={630} />
      <h1 dir="auto">{song.title}</h1>
      {song.artist !== null && <p dir="auto">{messages.share.by(song.artist)}</p>}
      <div className={styles.versions}>
        {song.versions.map((version) => (
          <PlayButton
            key={version.n}
            token={token}
            version={version}
            title={song.title}
            onPlay={() => setChosen(version)}
          />
        ))}
      </div>
      {chosen && <Seek token={token} version={chosen} />}
      {song.download && (
        <div className={styles.versions}>
          {song.versions.map(({ n }) => (
            <SaveLink
              key={n}
              className={buttonClass('outline', true)}
              href={`${sourceOf(token, n)}?download=1`}
            >
              {messages.share.download(messages.version(n))}
            </SaveLink>
          ))}
        </div>
      )}
      {song.lyrics !== null && (
        <p dir="auto" className={styles.lyrics}>
          {song.lyrics}
        </p>
      )}
    </section>
  )
}

const sourceOf = (token: string, n: number): string => `/api/shares/${token}/versions/${n}`

const useVersionSound = (token: string, n: number) => useSound(`share/${token}/${n}`, sourceOf(token, n))

function PlayButton(props: { token: string; version: Version; title: string; onPlay: () => void }) {
  const { token, version, title, onPlay } = props
  const sound = useVersionSound(token, version.n)
  usePauseOnUnmount(`share/${token}/${version.n}`)
  useMediaMetadata(sound.isCurrent, title, siteConfig.brand)
  return (
    <button
      type="button"
      className={`${buttonClass()} ${styles.play}`}
      style={takeColours(version.n)}
      aria-pressed={sound.playing}
      aria-busy={sound.loading}
      onClick={() => {
        // the other version goes on from the same place, so that both can be compared
        const fromMs = positionWithin(`share/${token}/`)
        sound.toggle(sound.isCurrent || fromMs === 0 ? {} : { fromMs })
        onPlay()
      }}
    >
      {sound.playing ? <Pause aria-hidden size={18} /> : <Play aria-hidden size={18} />}{' '}
      {messages.share.play(messages.version(version.n))}
    </button>
  )
}

/** Waveform and slider of the version that was played last. */
function Seek({ token, version: { n, durationMs } }: { token: string; version: Version }) {
  const sound = useVersionSound(token, n)
  const wave = useQuery({
    queryKey: queryKeys.sharedWaveform(token, n),
    queryFn: ({ signal }) => api.get<WaveformData>(`${sourceOf(token, n)}/waveform`, { signal }),
  })
  return (
    <>
      <SeekBar
        className={styles.seek}
        version={n}
        wave={wave}
        positionMs={sound.positionMs}
        durationMs={durationMs}
        height={64}
        onSeek={(ms) => seek(`share/${token}/${n}`, ms)}
      />
      <span className="mono">
        {formatDuration(sound.positionMs)} / {formatDuration(durationMs)}
      </span>
      {sound.blocked && <p>{messages.player.pressPlay}</p>}
      {sound.failed && <p role="alert">{messages.player.failed}</p>}
    </>
  )
}
