import type { Ops } from '@prelude/contracts'
import { format, messages } from '../../../messages.ts'
import { ago } from '../../../text/time.ts'
import styles from './ops.module.css'
import { Section, Table } from './table.tsx'

/** Errors in browsers by message and build. */
export function ClientErrors({ clientErrors }: Pick<Ops, 'clientErrors'>) {
  const { columns, noClientErrors, notAvailable } = messages.ops
  const errors = clientErrors ?? []
  return (
    <Section
      title={messages.ops.clientErrors}
      empty={errors.length > 0 ? undefined : clientErrors ? noClientErrors : notAvailable}
    >
      <Table
        label={messages.ops.clientErrors}
        columns={[
          columns.error,
          columns.count,
          columns.first,
          columns.last,
          columns.page,
          columns.build,
          columns.scripts,
        ]}
        numeric={[columns.count]}
      >
        {errors.map((one) => (
          <tr key={`${one.release} ${one.message}`}>
            <th scope="row" className={`mono ${styles.error}`}>
              {one.message}
            </th>
            <td className="number">{format.whole(one.count)}</td>
            <td>{ago(one.firstAt)}</td>
            <td>{ago(one.lastAt)}</td>
            <td className="mono">{one.page}</td>
            <td className="mono">{one.release}</td>
            <td className={`mono ${styles.error}`}>{one.stack ?? '—'}</td>
          </tr>
        ))}
      </Table>
    </Section>
  )
}
