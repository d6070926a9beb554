import { Pause, Play } from 'lucide-react'
import type { CSSProperties } from 'react'
import { useMediaMetadata } from '../../audio/media-session.ts'
import { usePauseOnUnmount, useSound } from '../../audio/shared-audio.ts'
import { messages } from '../../messages.ts'
import { Reel } from '../../ui/brand.tsx'
import { formatDuration } from '../../text/time.ts'
import { Delayed } from '../../ui/loading.tsx'
import { Waveform } from '../../ui/waveform.tsx'
import type { Sample } from './samples.ts'
import styles from './sample-card.module.css'

/** A sample artist, drawn as the insert of a cassette: spine, cover, lyric excerpt, two takes. */
export function SampleCard({ sample }: { sample: Sample }) {
  const { Cover } = sample
  return (
    <article className={`card ${styles.card}`}>
      <div className={styles.spine}>
        <h3>{sample.artist}</h3>
        <span className="mono">{messages.landing.takes(sample.takes.length)}</span>
      </div>
      <div className={styles.insert}>
        <Cover className={styles.cover} />
        <div className={`stack ${styles.text}`}>
          {/* samples are English in every language of the app */}
          <p lang="en" className={`mono ${styles.style}`}>
            {sample.style}
          </p>
          <p lang="en" className={styles.lyrics}>
            {sample.lyrics}
          </p>
        </div>
        <div className={`stack ${styles.takes}`}>
          {sample.takes.map((take) => (
            <Take key={take.name} artist={sample.artist} take={take} />
          ))}
        </div>
      </div>
    </article>
  )
}

function Take({ artist, take }: { artist: string; take: Sample['takes'][number] }) {
  const id = `sample/${take.src}`
  const sound = useSound(id, take.src)
  usePauseOnUnmount(id)
  useMediaMetadata(sound.isCurrent, messages.landing.side(take.name), artist)
  const colour = take.name === 'A' ? '--record' : '--teal'
  const played = sound.durationMs > 0 ? sound.positionMs / sound.durationMs : 0
  return (
    <div className={styles.take} style={{ '--take': `var(${colour})` } as CSSProperties}>
      <button
        type="button"
        className={`play ${styles.play}`}
        aria-pressed={sound.playing}
        aria-busy={sound.loading}
        aria-label={messages.landing.play(take.name, artist)}
        onClick={() => sound.toggle()}
      >
        {sound.playing ? (
          <Pause aria-hidden size={18} fill="currentColor" />
        ) : (
          <Play aria-hidden size={18} fill="currentColor" />
        )}
      </button>
      <span className={styles.side}>{messages.landing.side(take.name)}</span>
      <span lang="en" className={`mono cut soft ${styles.note}`}>
        {take.note}
      </span>
      <span className={`mono line soft ${styles.time}`}>
        {sound.loading && (
          <Delayed>
            <Reel />
          </Delayed>
        )}
        {formatDuration(sound.playing ? sound.positionMs : take.seconds * 1000)}
      </span>
      <div className={styles.wave}>
        <Waveform peaks={take.peaks} played={played} colour={colour} height={30} />
      </div>
      {sound.failed && (
        <p role="alert" className={`bad ${styles.failed}`}>
          {messages.player.failed[sound.failed]}
        </p>
      )}
    </div>
  )
}
