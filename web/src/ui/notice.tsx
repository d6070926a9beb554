import type { ReactNode } from 'react'
import { Cassette, type Tape } from './cassette.tsx'
import styles from './notice.module.css'
import { usePageTitle } from '../state/title.ts'

/** A page with a single message and an illustration. */
export function Notice({ title, tape, children }: { title: string; tape: Tape; children: ReactNode }) {
  usePageTitle(title)
  return (
    <section className={`stack gap-5 card ${styles.notice}`}>
      <Cassette tape={tape} className={styles.tape} />
      <h1>{title}</h1>
      {children}
    </section>
  )
}
