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

interface Column<T> {
  readonly name: string
  readonly isNumber?: boolean
  readonly className?: string | undefined
  readonly renderCell: (row: T) => ReactNode
}

/**
 * A table that scrolls horizontally, with its first column in view, which is the header of each row; on a phone each row is a block
 * of named values.
 */
export function Table<T>(props: {
  label: string
  rows: readonly T[]
  keyOf: (row: T) => string
  columns: readonly [Column<T>, ...Column<T>[]]
}) {
  const [header, ...others] = props.columns
  return (
    <div className="sideways" tabIndex={0} role="group" aria-label={props.label}>
      <table className={`table ${styles.table}`}>
        <thead>
          <tr>
            {props.columns.map(({ name, isNumber }) => (
              <th key={name} scope="col" className={isNumber ? 'number' : undefined}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.rows.map((row) => (
            <tr key={props.keyOf(row)}>
              <th scope="row" className={header.className}>
                {header.renderCell(row)}
              </th>
              {others.map(({ name, isNumber, className, renderCell }) => (
                <td key={name} data-name={name} className={isNumber ? 'number' : className}>
                  {renderCell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
