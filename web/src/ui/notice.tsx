import type { ReactNode } from 'react'
import styles from './notice.module.css'
import { useTitle } from './title.ts'

/** A page that says one thing. */
export function Notice({ title, children }: { title: string; children: ReactNode }) {
  useTitle(title)
  return (
    <section className={styles.notice}>
      <h1>{title}</h1>
      {children}
    </section>
  )
}
