import type { ReactNode } from 'react'
import { Cassette, type Tape } from './cassette.tsx'
import styles from './notice.module.css'
import { useTitle } from './title.ts'

/** A page that says one thing, and whose tape shows it. */
export function Notice({ title, tape, children }: { title: string; tape: Tape; children: ReactNode }) {
  useTitle(title)
  return (
    <section className={styles.notice}>
      <Cassette tape={tape} className={styles.tape} />
      <h1>{title}</h1>
      {children}
    </section>
  )
}
