import type { ReactNode } from 'react'
import { messages } from '../messages.ts'
import { Reel } from './brand.tsx'
import styles from './loading.module.css'

/**
 * A loading indicator that appears after a short delay: in place of a page, as an overlay over it, or inline. `failure` says
 * why an attempt failed while the next one is under way.
 */
export function Loading({
  variant = 'page',
  failure,
}: {
  variant?: 'page' | 'overlay' | 'inline'
  failure?: string | null | undefined
}) {
  return (
    <p role="status" className={`line soft ${styles.loading} ${variant === 'inline' ? '' : styles[variant]}`}>
      <Reel /> {failure ?? messages.loading}
    </p>
  )
}

/** Shows its children after the same delay. */
export const Delayed = ({ children }: { children: ReactNode }) => (
  <span className={styles.delayed}>{children}</span>
)
