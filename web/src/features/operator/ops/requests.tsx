import type { Ops } from '@prelude/contracts'
import { format, messages } from '../../../messages.ts'
import { ago } from '../../../text/time.ts'
import { Section, Table } from './table.tsx'

/** Error responses by code: faults of the product, and apart from them what people mistyped or may not do. */
export function Problems({ problems }: Pick<Ops, 'problems'>) {
  const faults = problems.filter(({ status }) => status >= 500)
  const refusals = problems.filter(({ status }) => status < 500)
  return (
    <>
      <Section title={messages.ops.faults} empty={faults.length === 0 ? messages.ops.noFaults : undefined}>
        <ProblemTable label={messages.ops.faults} problems={faults} />
      </Section>
      {refusals.length > 0 && (
        <Section title={messages.ops.refusals}>
          <details>
            <summary>{messages.ops.refusalsAbout(refusals.length)}</summary>
            <ProblemTable label={messages.ops.refusals} problems={refusals} />
          </details>
        </Section>
      )}
    </>
  )
}

function ProblemTable({ label, problems }: Pick<Ops, 'problems'> & { label: string }) {
  const { columns } = messages.ops
  return (
    <Table
      label={label}
      columns={[
        columns.code,
        columns.status,
        columns.count,
        columns.last,
        columns.route,
        columns.request,
        columns.instance,
      ]}
      numeric={[columns.status, columns.count]}
    >
      {problems.map((one) => (
        <tr key={`${one.instance} ${one.code}`}>
          <th scope="row" className={`mono ${one.status >= 500 ? 'bad' : ''}`}>
            {one.code}
          </th>
          <td className="number">{one.status}</td>
          <td className="number">{format.whole(one.count)}</td>
          <td>{ago(one.at)}</td>
          <td className="mono">{one.route ?? '—'}</td>
          <td className="mono">{one.requestId}</td>
          <td className="mono">{one.instance}</td>
        </tr>
      ))}
    </Table>
  )
}

/** Requests whose response took longer than a second to start. */
export function SlowRequests({ slow }: Pick<Ops, 'slow'>) {
  const { columns } = messages.ops
  return (
    <Section title={messages.ops.slow} empty={slow.length === 0 ? messages.ops.noSlow : undefined}>
      <Table
        label={messages.ops.slow}
        columns={[
          columns.route,
          columns.duration,
          columns.status,
          columns.when,
          columns.request,
          columns.instance,
        ]}
        numeric={[columns.duration, columns.status]}
      >
        {slow.map((one) => (
          <tr key={`${one.requestId} ${one.at}`}>
            <th scope="row" className="mono">
              {one.method} {one.route ?? '—'}
            </th>
            <td className="number">{messages.ops.milliseconds(format.whole(one.ms))}</td>
            <td className="number">{one.status}</td>
            <td>{ago(one.at)}</td>
            <td className="mono">{one.requestId}</td>
            <td className="mono">{one.instance}</td>
          </tr>
        ))}
      </Table>
    </Section>
  )
}
