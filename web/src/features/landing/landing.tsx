import { Pause, Play } from 'lucide-react'
import { type CSSProperties, useEffect, useState } from 'react'
import { signIn } from '../../api/session.ts'
import { useSilenceOnLeave, useSound } from '../../audio/one-sound.ts'
import { house } from '../../messages.ts'
import { Button } from '../../ui/button.tsx'
import { clock } from '../../ui/clock.ts'
import { Waveform } from '../../ui/waveform.tsx'
import styles from './landing.module.css'
import { type Sample, SAMPLES } from './samples.ts'

const HASHTAGS = ['#SaveStudioMoney', '#SaveStudioTime']
const HASHTAG_MS = 2_000

export function Landing({ signedIn, onHome }: { signedIn: boolean; onHome: () => void }) {
  return (
    <div className={styles.page}>
      <section className={styles.hero} aria-label="Welcome">
        <div>
          <Hashtag />
          <h1 className={styles.tagline}>Find Your Hit Song Before You Hit The Studio!</h1>
        </div>
        <div className={styles.pitch}>
          <p>
            Bring lyrics and the sound in your head. Get two finished demo takes, sung and produced. Yours to
            keep, yours to sell.
          </p>
          <div className={styles.act}>
            <Button variant="primary" className={styles.try} onClick={signedIn ? onHome : signIn}>
              Try Now
            </Button>
            <span className={`mono ${styles.price}`}>10 credits a song · 2 takes</span>
          </div>
        </div>
      </section>
      <section className={styles.samples} aria-label="Sample songs">
        <h2 className="visually-hidden">Sample songs</h2>
        {SAMPLES.map((sample) => (
          <Tape key={sample.artist} sample={sample} />
        ))}
      </section>
      <More />
      <footer className={styles.foot}>
        {house.brand} · <a href={`mailto:${house.supportEmail}`}>{house.supportEmail}</a>
      </footer>
    </div>
  )
}

function Hashtag() {
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setTurn((now) => now + 1), HASHTAG_MS)
    return () => clearInterval(timer)
  }, [])
  const word = HASHTAGS[turn % HASHTAGS.length]
  return (
    <p className={styles.hashtag}>
      <span key={word} className={styles.word}>
        {word}
      </span>
    </p>
  )
}

function Tape({ sample }: { sample: Sample }) {
  return (
    <article className={styles.tape}>
      <div className={styles.spine}>
        <h3>{sample.artist}</h3>
        <span className="mono">demo · 2 takes</span>
      </div>
      <div className={styles.insert}>
        <p className={`mono ${styles.style}`}>{sample.style}</p>
        <p className={styles.lyrics}>“{sample.lyrics}”</p>
        {sample.takes.map((take) => (
          <Take key={take.name} artist={sample.artist} take={take} />
        ))}
      </div>
    </article>
  )
}

function Take({ artist, take }: { artist: string; take: Sample['takes'][number] }) {
  const id = `sample/${take.src}`
  const sound = useSound(id, take.src)
  useSilenceOnLeave(id)
  const colour = take.name === 'A' ? '--record' : '--teal'
  const played = sound.durationMs > 0 ? sound.positionMs / sound.durationMs : 0
  return (
    <div className={styles.take}>
      <button
        type="button"
        className={styles.play}
        style={{ '--take': `var(${colour})` } as CSSProperties}
        aria-pressed={sound.playing}
        aria-label={`Play sample ${take.name} of ${artist}`}
        onClick={sound.toggle}
      >
        {sound.playing ? (
          <Pause aria-hidden size={18} fill="currentColor" />
        ) : (
          <Play aria-hidden size={18} fill="currentColor" />
        )}
      </button>
      <span className={styles.side}>Side {take.name}</span>
      <span className={`mono ${styles.time}`}>
        {clock(sound.playing ? sound.positionMs : take.seconds * 1000)}
      </span>
      <div className={styles.wave}>
        <Waveform peaks={take.peaks} played={played} colour={colour} height={30} />
      </div>
    </div>
  )
}

function More() {
  return (
    <section className={styles.more} aria-label="How it works, price and questions">
      <div>
        <h2>How it works</h2>
        <ol className={styles.steps}>
          <li>
            <span>1</span>Paste your lyrics, complete or not, and say how it should sound.
          </li>
          <li>
            <span>2</span>We cook two takes of your song and write to you when they are ready.
          </li>
          <li>
            <span>3</span>Listen, compare, download. Then book the studio, or don't.
          </li>
        </ol>
      </div>
      <div>
        <h2>Price</h2>
        <p>
          10 credits a song, both takes included. One credit is one US dollar; top up from $25 by card, or by
          bank transfer in Nigeria.
        </p>
      </div>
      <div>
        <h2>Questions</h2>
        <dl>
          <dt>Who owns the song?</dt>
          <dd>You do. Generated songs belong to you and may be used commercially.</dd>
          <dt>Not enough credits?</dt>
          <dd>Your request waits and starts by itself when credits arrive.</dd>
        </dl>
      </div>
    </section>
  )
}
