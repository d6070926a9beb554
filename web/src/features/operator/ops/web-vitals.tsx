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
        columns={[columns.measure, columns.percentile, columns.count]}
        numeric={[columns.percentile, columns.count]}
      >
        {measured.map(({ name, p75, reports }) => (
          <tr key={name}>
            <th scope="row" className="mono">
              {NAMES[name]}
            </th>
            <td className="number">
              {name === 'cls' ? format.credits(p75) : milliseconds(format.whole(p75))}
            </td>
            <td className="number">{format.whole(reports)}</td>
          </tr>
        ))}
      </Table>
    </Section>
  )
}
