import { useMediaMetadata } from '../../audio/media-session.ts'
import { usePauseOnUnmount, useSound } from '../../audio/shared-audio.ts'
import { TakeRow } from '../../audio/take-row.tsx'
import { messages } from '../../messages.ts'
import type { Sample } from './samples.ts'
import styles from './sample-card.module.css'

/** A sample artist, drawn as the insert of a cassette: spine, cover, lyric excerpt, two takes. */
export function SampleCard({ sample }: { sample: Sample }) {
  return (
    <article className={`card ${styles.card}`}>
      <div className={styles.spine}>
        <h3>{sample.artist}</h3>
        <span className="mono">{messages.landing.takes(sample.takes.length)}</span>
      </div>
      <div className={styles.insert}>
        <img className={styles.cover} src={sample.cover} alt="" width={200} height={200} />
        <div className={`stack ${styles.text}`}>
          {/* samples are English in every language of the app */}
          <p lang="en" className={`mono ${styles.style}`}>
            {sample.style}
          </p>
          <p lang="en" className={styles.lyrics}>
            {sample.lyrics}
          </p>
        </div>
        <ul className={styles.takes}>
          {sample.takes.map((take) => (
            <Take key={take.name} artist={sample.artist} take={take} />
          ))}
        </ul>
      </div>
    </article>
  )
}

function Take({ artist, take }: { artist: string; take: Sample['takes'][number] }) {
  const { name, note, src, seconds, peaks } = take
  const id = `sample/${src}`
  const sound = useSound(id, src)
  usePauseOnUnmount(id)
  const side = messages.landing.side(name)
  useMediaMetadata(sound.isCurrent, side, artist)
  return (
    <TakeRow
      id={id}
      sound={sound}
      version={name === 'A' ? 1 : 2}
      playLabel={messages.landing.play(name, artist)}
      label={
        <span className="line">
          {side}
          <span lang="en" className={`mono cut soft ${styles.note}`}>
            {note}
          </span>
        </span>
      }
      wave={{ data: { peaks, durationMs: seconds * 1000, loudnessLufs: null }, isPending: false }}
      durationMs={seconds * 1000}
      onToggle={() => sound.toggle()}
    />
  )
}
