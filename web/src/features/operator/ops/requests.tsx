import type { Ops } from '@prelude/contracts'
import { format, messages } from '../../../messages.ts'
import { ago } from '../../../ui/clock.ts'
import styles from './ops.module.css'
import { Section, Table } from './table.tsx'

/** Refusals and failures by their code; those of the server's own making stand out. */
export function Problems({ problems }: Pick<Ops, 'problems'>) {
  const { heads } = messages.ops
  return (
    <Section title={messages.ops.problems} none={problems.length === 0 ? messages.ops.noProblem : undefined}>
      <Table
        label={messages.ops.problems}
        heads={[
          heads.code,
          heads.status,
          heads.count,
          heads.last,
          heads.route,
          heads.request,
          heads.instance,
        ]}
        figures={[heads.status, heads.count]}
      >
        {problems.map((one) => (
          <tr key={`${one.instance} ${one.code}`}>
            <th scope="row" className={`mono ${one.status >= 500 ? styles.bad : ''}`}>
              {one.code}
            </th>
            <td className={styles.number}>{one.status}</td>
            <td className={styles.number}>{format.whole(one.count)}</td>
            <td>{ago(one.at)}</td>
            <td className="mono">{one.route ?? '—'}</td>
            <td className="mono">{one.requestId}</td>
            <td className="mono">{one.instance}</td>
          </tr>
        ))}
      </Table>
    </Section>
  )
}

/** Requests that took longer than a second to begin their answer. */
export function SlowRequests({ slow }: Pick<Ops, 'slow'>) {
  const { heads } = messages.ops
  return (
    <Section title={messages.ops.slow} none={slow.length === 0 ? messages.ops.noSlow : undefined}>
      <Table
        label={messages.ops.slow}
        heads={[heads.route, heads.took, heads.status, heads.when, heads.request, heads.instance]}
        figures={[heads.took, heads.status]}
      >
        {slow.map((one) => (
          <tr key={`${one.requestId} ${one.at}`}>
            <th scope="row" className="mono">
              {one.method} {one.route ?? '—'}
            </th>
            <td className={styles.number}>{messages.ops.took(format.whole(one.ms))}</td>
            <td className={styles.number}>{one.status}</td>
            <td>{ago(one.at)}</td>
            <td className="mono">{one.requestId}</td>
            <td className="mono">{one.instance}</td>
          </tr>
        ))}
      </Table>
    </Section>
  )
}
