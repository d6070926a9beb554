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
      rows={problems}
      keyOf={({ instance, code }) => `${instance} ${code}`}
      columns={[
        {
          name: columns.code,
          className: 'mono',
          renderCell: ({ code, status }) => <span className={status >= 500 ? 'bad' : undefined}>{code}</span>,
        },
        { name: columns.status, isNumber: true, renderCell: ({ status }) => status },
        { name: columns.count, isNumber: true, renderCell: ({ count }) => format.whole(count) },
        { name: columns.last, renderCell: ({ at }) => ago(at) },
        { name: columns.route, className: 'mono', renderCell: ({ route }) => route ?? '—' },
        { name: columns.request, className: 'mono', renderCell: ({ requestId }) => requestId },
        { name: columns.instance, className: 'mono', renderCell: ({ instance }) => instance },
      ]}
    />
  )
}

/** Requests whose response took longer than a second to start. */
export function SlowRequests({ slow }: Pick<Ops, 'slow'>) {
  const { columns } = messages.ops
  return (
    <Section title={messages.ops.slow} empty={slow.length === 0 ? messages.ops.noSlow : undefined}>
      <Table
        label={messages.ops.slow}
        rows={slow}
        keyOf={({ requestId, at }) => `${requestId} ${at}`}
        columns={[
          {
            name: columns.route,
            className: 'mono',
            renderCell: ({ method, route }) => `${method} ${route ?? '—'}`,
          },
          {
            name: columns.duration,
            isNumber: true,
            renderCell: ({ ms }) => messages.ops.milliseconds(format.whole(ms)),
          },
          { name: columns.status, isNumber: true, renderCell: ({ status }) => status },
          { name: columns.when, renderCell: ({ at }) => ago(at) },
          { name: columns.request, className: 'mono', renderCell: ({ requestId }) => requestId },
          { name: columns.instance, className: 'mono', renderCell: ({ instance }) => instance },
        ]}
      />
    </Section>
  )
}
