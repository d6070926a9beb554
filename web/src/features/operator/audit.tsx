import { messages } from '../../messages.ts'
import { ago } from '../../ui/clock.ts'
import { DeskList, useList } from './desk-list.tsx'
import styles from './operator.module.css'

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
          <span className={styles.soft}>
            {ago(row.at)} · <span className={styles.called}>{row.action}</span> ·{' '}
            <span className={row.outcome === 'ok' ? undefined : styles.low}>{row.outcome}</span>
            {row.target !== null && ` · ${row.target}`}
          </span>
        </li>
      )}
    </DeskList>
  )
}
