import { messages } from '../../messages.ts'
import { ago } from '../../ui/clock.ts'
import { DeskList, useList } from './desk-list.tsx'

interface AuditRow {
  readonly id: string
  readonly at: number
  readonly action: string
  readonly outcome: string
  readonly target: string | null
}

/** Every call of the operator, refused ones too. */
export function Audit() {
  return (
    <DeskList list={useList<AuditRow>('audit')} empty={messages.operator.noAudit}>
      {(row) => (
        <li key={row.id} className="mono">
          {ago(row.at)} · {row.action} · {row.outcome}
          {row.target !== null && ` · ${row.target}`}
        </li>
      )}
    </DeskList>
  )
}
