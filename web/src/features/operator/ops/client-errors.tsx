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
          { name: columns.error, className: `mono ${styles.error}`, renderCell: ({ message }) => message },
          { name: columns.count, isNumber: true, renderCell: ({ count }) => format.whole(count) },
          { name: columns.first, renderCell: ({ firstAt }) => ago(firstAt) },
          { name: columns.last, renderCell: ({ lastAt }) => ago(lastAt) },
          { name: columns.page, className: 'mono', renderCell: ({ page }) => page },
          { name: columns.build, className: 'mono', renderCell: ({ release }) => release },
          {
            name: columns.scripts,
            className: `mono ${styles.error}`,
            renderCell: ({ stack }) => stack ?? '—',
          },
        ]}
      />
    </Section>
  )
}
