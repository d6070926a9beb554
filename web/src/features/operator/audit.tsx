import { useState } from 'react'
import { type Code, markDirections } from '@prelude/contracts'
import { useOperatorList } from '../../api/operator.ts'
import type { AuditRow } from '@prelude/contracts'
import { format, messages } from '../../messages.ts'
import { Select } from '../../ui/field.tsx'
import { excerpt } from './excerpt.ts'
import { OperatorList } from './operator-list.tsx'

const KINDS = ['changes', 'money', 'songs', 'refused', 'all'] as const
type Kind = (typeof KINDS)[number]

/** The audit log as a diary: who did what to whom, when. The API has every call; reads and uploads are shown on request. */
export function Audit() {
  const [kind, setKind] = useState<Kind>('changes')
  const list = useOperatorList('audit', kind === 'all' ? {} : { kind })
  return (
    <>
      <Select
        label={messages.operator.auditShow}
        value={kind}
        onChange={(event) => setKind(event.target.value as Kind)}
      >
        {KINDS.map((one) => (
          <option key={one} value={one}>
            {messages.operator.auditKinds[one]}
          </option>
        ))}
      </Select>
      <OperatorList
        list={list}
        empty={messages.operator.noAudit}
        isShown={(row, above) => !isRepeated(row, above)}
      >
        {(row) => <AuditItem key={row.id} row={row} />}
      </OperatorList>
    </>
  )
}

/** Lists, operations and the requests of an upload, of which there are dozens in a row. */
const ROUTINE = /^(list-|read-ops$|watch-|upload$)/

const isRepeated = (row: AuditRow, above: AuditRow | undefined): boolean =>
  ROUTINE.test(row.action) && above?.action === row.action && above.outcome === row.outcome

function AuditItem({ row }: { row: AuditRow }) {
  const { person, song, outcome } = row
  const { actions, operatorDid } = messages.operator
  const action = actions[row.action as keyof typeof actions] ?? row.action
  const what = [sumOf(row), song && `“${excerpt(song.style)}”`].filter(Boolean)
  return (
    <li className="stack gap-1">
      <span>
        {operatorDid} <strong>{action}</strong>
        {what.length > 0 && ` · ${what.join(' · ')}`}
      </span>
      {person && (
        <span>
          {markDirections(person.name ?? messages.operator.anonymous)}{' '}
          <span className="soft">{markDirections(person.email)}</span>
        </span>
      )}
      {!person && row.target !== null && <span className="mono soft">{row.target}</span>}
      {outcome !== 'ok' && <span className="bad">{refusalOf(outcome)}</span>}
      <time className="hint soft" dateTime={new Date(row.at).toISOString()}>
        {format.when(row.at)}
      </time>
    </li>
  )
}

/** The detail of a refunded payment is its sum in dollars; all others are words already. */
function sumOf({ action, detail }: AuditRow): string | null {
  if (detail === null) return null
  return action === 'refund-payment' ? format.money(Number(detail), 'USD') : markDirections(detail)
}

const refusalOf = (outcome: string): string =>
  outcome === 'attempted'
    ? messages.operator.unfinished
    : messages.operator.refusedWith(messages.problems[outcome as Code] ?? outcome.replaceAll('_', ' '))
