import { messages } from '../messages.ts'
import { Reel } from './brand.tsx'
import styles from './wait.module.css'

/** A wait that is seen once it is longer than a blink; `over` the page, or in the place of what comes. */
export function Wait({ over = false }: { over?: boolean }) {
  return (
    <p className={`${styles.wait} ${over ? styles.over : ''}`}>
      <Reel /> {messages.loading}
    </p>
  )
}
