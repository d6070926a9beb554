import { fromCents, SONG_PRICE_CREDITS, TOP_UP_MIN_CENTS } from '@prelude/contracts'
import { Plus } from 'lucide-react'
import { siteConfig, messages } from '../../messages.ts'
import { Button } from '../../ui/button.tsx'
import styles from './details.module.css'

const MIN_TOP_UP = fromCents(TOP_UP_MIN_CENTS)

/** The landing page below the fold: steps, price, rights, questions. */
export function LandingDetails({ onStart }: { onStart: () => void }) {
  const { landing } = messages
  return (
    <>
      <section className={styles.how} aria-labelledby="how">
        <h2 id="how">{landing.how}</h2>
        <ol className={styles.steps}>
          {landing.steps.map(({ title, text }, index) => (
            <li key={title}>
              <span aria-hidden className={styles.number}>
                {index + 1}
              </span>
              <h3>{title}</h3>
              <p>{text}</p>
            </li>
          ))}
        </ol>
      </section>
      <div className={styles.terms}>
        <section className={styles.price} aria-labelledby="price">
          <h2 id="price">{landing.priceTitle}</h2>
          <p className={styles.figure}>
            <strong>{SONG_PRICE_CREDITS}</strong> {landing.priceUnit}
          </p>
          <p>{landing.priceText(MIN_TOP_UP, Math.floor(MIN_TOP_UP / SONG_PRICE_CREDITS))}</p>
        </section>
        <section className={styles.own} aria-labelledby="own">
          <h2 id="own">{landing.ownTitle}</h2>
          <p>{landing.ownText}</p>
        </section>
      </div>
      <section className={styles.questions} aria-labelledby="questions">
        <h2 id="questions">{landing.questions}</h2>
        <div>
          {landing.answers.map(({ question, answer }) => (
            <details key={question}>
              <summary>
                {question}
                <Plus aria-hidden size={20} />
              </summary>
              <p>{answer}</p>
            </details>
          ))}
          <p className={styles.ask}>
            {landing.otherQuestion}{' '}
            <a href={`mailto:${siteConfig.supportEmail}`}>{siteConfig.supportEmail}</a>
          </p>
          <Button className={styles.start} onClick={onStart}>
            {landing.start}
          </Button>
        </div>
      </section>
    </>
  )
}
