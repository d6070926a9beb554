import { messages } from '../../messages.ts'
import { ago } from '../../ui/time.ts'
import { OperatorList, useOperatorList } from './operator-list.tsx'
import styles from './operator.module.css'

interface AuditRow {
  readonly id: string
  readonly at: number
  readonly action: string
  readonly outcome: string
  readonly target: string | null
}

/** The audit log: every call of the operator, rejected ones included. */
export function Audit() {
  return (
    <OperatorList list={useOperatorList<AuditRow>('audit')} empty={messages.operator.noAudit}>
      {(row) => (
        <li key={row.id} className="mono">
          <span className={styles.soft}>
            {ago(row.at)} · <span className={styles.action}>{row.action}</span> ·{' '}
            <span className={row.outcome === 'ok' ? undefined : styles.low}>{row.outcome}</span>
            {row.target !== null && ` · ${row.target}`}
          </span>
        </li>
      )}
    </OperatorList>
  )
}
