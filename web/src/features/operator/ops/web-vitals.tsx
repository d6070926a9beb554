import type { Ops } from '@prelude/contracts'
import { format, messages } from '../../../messages.ts'
import { Section, Table } from './table.tsx'

const NAMES = { lcpMs: 'LCP', inpMs: 'INP', cls: 'CLS' } as const

/** How fast pages were in the browsers of people (Core Web Vitals). */
export function WebVitals({ webVitals }: Pick<Ops, 'webVitals'>) {
  const { columns, noWebVitals, milliseconds } = messages.ops
  const measured = webVitals.flatMap(({ p75, ...one }) => (p75 === null ? [] : [{ ...one, p75 }]))
  return (
    <Section title={messages.ops.webVitals} empty={measured.length === 0 ? noWebVitals : undefined}>
      <Table
        label={messages.ops.webVitals}
        rows={measured}
        keyOf={({ name }) => name}
        columns={[
          { name: columns.measure, className: 'mono', renderCell: ({ name }) => NAMES[name] },
          {
            name: columns.percentile,
            isNumber: true,
            renderCell: ({ name, p75 }) =>
              name === 'cls' ? format.credits(p75) : milliseconds(format.whole(p75)),
          },
          { name: columns.count, isNumber: true, renderCell: ({ reports }) => format.whole(reports) },
        ]}
      />
    </Section>
  )
}
