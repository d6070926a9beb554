import type { ReactNode } from 'react'
import styles from './ops.module.css'

/** A section with a heading; `empty` is shown instead of the children when given. */
export function Section(props: { title: string; empty?: string | undefined; children?: ReactNode }) {
  return (
    <section className="stack gap-2" aria-label={props.title}>
      <h2>{props.title}</h2>
      {props.empty === undefined ? props.children : <p className="soft">{props.empty}</p>}
    </section>
  )
}

/** A table that scrolls horizontally on narrow screens; its first column is sticky. `numeric`: columns to right-align. */
export function Table(props: {
  label: string
  columns: readonly string[]
  numeric?: readonly string[]
  className?: string | undefined
  children: ReactNode
}) {
  return (
    <div className="sideways" tabIndex={0} role="group" aria-label={props.label}>
      <table className={`table ${styles.table} ${props.className ?? ''}`}>
        <thead>
          <tr>
            {props.columns.map((column) => (
              <th key={column} scope="col" className={props.numeric?.includes(column) ? 'number' : undefined}>
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{props.children}</tbody>
      </table>
    </div>
  )
}
