import type { ReactNode } from 'react'
import { messages } from '../messages.ts'
import { Reel } from './brand.tsx'
import styles from './wait.module.css'

/**
 * A wait that is seen, and announced, once it is longer than a blink: in the place of a page, `over` it, or in a `line`
 * among others.
 */
export function Wait({ as = 'page' }: { as?: 'page' | 'over' | 'line' }) {
  return (
    <p role="status" className={`${styles.wait} ${as === 'line' ? '' : styles[as]}`}>
      <Reel /> {messages.loading}
    </p>
  )
}

/** Something small that only a wait which is longer than a blink needs. */
export const Late = ({ children }: { children: ReactNode }) => <span className={styles.late}>{children}</span>
