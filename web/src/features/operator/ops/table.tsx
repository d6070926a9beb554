import type { ReactNode } from 'react'
import styles from './ops.module.css'

/** A section with its heading; `none` is said where there is nothing to show. */
export function Section(props: { title: string; none?: string | undefined; children?: ReactNode }) {
  return (
    <section className={styles.section} aria-label={props.title}>
      <h2>{props.title}</h2>
      {props.none === undefined ? props.children : <p className={styles.soft}>{props.none}</p>}
    </section>
  )
}

/** Rows that can be scrolled sideways where the screen is narrow; the first column stays in sight. `figures`: heads of numbers. */
export function Table(props: {
  label: string
  heads: readonly string[]
  figures?: readonly string[]
  children: ReactNode
}) {
  return (
    <div className={styles.scroll} tabIndex={0} role="group" aria-label={props.label}>
      <table className={styles.table}>
        <thead>
          <tr>
            {props.heads.map((head) => (
              <th
                key={head}
                scope="col"
                className={props.figures?.includes(head) ? styles.number : undefined}
              >
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{props.children}</tbody>
      </table>
    </div>
  )
}
