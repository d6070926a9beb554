import { SONG_PRICE_CREDITS } from '@prelude/contracts'
import { startTransition, useEffect, useRef, useState } from 'react'
import { signIn } from '../../api/session.ts'
import { siteConfig, messages } from '../../messages.ts'
import { Button } from '../../ui/button.tsx'
import { atEachHashtag } from '../../state/timing.ts'
import { useDocumentTitle } from '../../state/title.ts'
import { Cassette } from '../../ui/cassette.tsx'
import { NextPromise } from '../../ui/next-promise.tsx'
import styles from './landing.module.css'
import { LandingDetails } from './details.tsx'
import { SAMPLES } from './samples.ts'
import { SampleCard } from './sample-card.tsx'

/** Not translated: a hashtag is a name. */
const HASHTAGS = ['#SaveStudioMoney', '#SaveStudioTime']
const TAKES = 2

export function Landing({ signedIn, onHome }: { signedIn: boolean; onHome: () => void }) {
  const { landing } = messages
  useDocumentTitle(messages.pageTitle(siteConfig.brand), siteConfig.brand)
  // below the fold, rendered as a transition: it does not block input on a slow phone
  const [showDetails, setShowDetails] = useState(false)
  useEffect(() => startTransition(() => setShowDetails(true)), [])
  const start = signedIn ? onHome : signIn
  return (
    <div className={styles.page}>
      <section className={styles.hero} aria-label={landing.welcome}>
        <div>
          <Hashtag />
          <h1 className={styles.tagline}>{landing.tagline}</h1>
        </div>
        <div className={`stack gap-5 ${styles.side}`}>
          <Cassette className={styles.cassette} />
          <p>{landing.pitch}</p>
          <div className="row">
            <Button variant="primary" className={styles.try} onClick={start}>
              {landing.tryNow}
            </Button>
            <span className="mono soft">
              {landing.price(SONG_PRICE_CREDITS, TAKES)}
              <NextPromise />
            </span>
          </div>
        </div>
      </section>
      <section className={styles.samples} aria-labelledby="samples">
        <h2 id="samples">{landing.listen}</h2>
        <div className={styles.cards}>
          {SAMPLES.map((sample) => (
            <SampleCard key={sample.artist} sample={sample} />
          ))}
        </div>
      </section>
      {showDetails ? <LandingDetails onStart={start} /> : <div className={styles.placeholder} />}
    </div>
  )
}

/** It pauses under the pointer, while the keyboard's focus is beside it, and in a hidden page. */
function Hashtag() {
  const [turn, setTurn] = useState(0)
  const shown = useRef<HTMLParagraphElement>(null)
  useEffect(() => {
    const isPaused = (): boolean =>
      document.hidden ||
      shown.current?.matches(':hover') === true ||
      shown.current?.closest('section')?.querySelector(':focus-visible') != null
    return atEachHashtag(() => !isPaused() && setTurn((now) => now + 1))
  }, [])
  const word = HASHTAGS[turn % HASHTAGS.length]
  return (
    <p ref={shown} className={styles.hashtag}>
      <span key={word} className={styles.word}>
        {word}
      </span>
    </p>
  )
}
