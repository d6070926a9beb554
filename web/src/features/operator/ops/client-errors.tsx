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
        rows={errors}
        keyOf={({ release, message }) => `${release} ${message}`}
        columns={[
          { name: columns.error, className: `mono ${styles.error}`, cell: ({ message }) => message },
          { name: columns.count, isNumber: true, cell: ({ count }) => format.whole(count) },
          { name: columns.first, cell: ({ firstAt }) => ago(firstAt) },
          { name: columns.last, cell: ({ lastAt }) => ago(lastAt) },
          { name: columns.page, className: 'mono', cell: ({ page }) => page },
          { name: columns.build, className: 'mono', cell: ({ release }) => release },
          { name: columns.scripts, className: `mono ${styles.error}`, cell: ({ stack }) => stack ?? '—' },
        ]}
      />
    </Section>
  )
}
