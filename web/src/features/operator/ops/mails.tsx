import { useState } from 'react'
import type { Ops } from '@prelude/contracts'
import { format, messages } from '../../../messages.ts'
import { Button } from '../../../ui/button.tsx'
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx'
import { ago } from '../../../text/time.ts'
import { excerpt } from '../excerpt.ts'
import { useIdempotentPost } from '../operator-list.tsx'
import styles from './ops.module.css'
import { Section, Table } from './table.tsx'

type Mail = NonNullable<Ops['mails']>[number]

/** Pending and failed mails, then on demand the last ones sent. */
export function Mails({ mails }: Pick<Ops, 'mails'>) {
  const empty =
    mails === null ? messages.ops.notifierUnavailable : mails.length === 0 ? messages.ops.noMails : undefined
  const sent = mails?.filter(({ state }) => state === 'sent') ?? []
  const unsent = mails?.filter(({ state }) => state !== 'sent') ?? []
  return (
    <Section title={messages.ops.mails} empty={empty}>
      {unsent.length > 0 && <MailTable label={messages.ops.mails} mails={unsent} />}
      {sent.length > 0 && (
        <details>
          <summary>{messages.ops.sentMails(sent.length)}</summary>
          <MailTable label={messages.ops.sentMails(sent.length)} mails={sent} />
        </details>
      )}
    </Section>
  )
}

const COLOURS = { pending: 'fair', failed: 'bad', sent: 'soft' } as const

const kindOf = ({ kind }: Mail): string => messages.ops.kinds[kind as keyof typeof messages.ops.kinds] ?? kind
const addressOf = ({ toOperator, to }: Mail): string =>
  toOperator ? messages.ops.toOperator : (to ?? messages.ops.toUnknown)
const subjectOf = ({ title }: Mail): string | null => (title ? `“${excerpt(title)}”` : null)

function MailTable({ label, mails }: { label: string; mails: readonly Mail[] }) {
  const { columns, mailStates, nextTry } = messages.ops
  return (
    <Table
      label={label}
      rows={mails}
      keyOf={({ id }) => id}
      columns={[
        { name: columns.mail, renderCell: kindOf },
        {
          name: columns.state,
          renderCell: ({ state }) => <span className={COLOURS[state]}>{mailStates[state]}</span>,
        },
        { name: columns.resend, renderCell: (mail) => <Resend mail={mail} /> },
        { name: columns.to, renderCell: addressOf },
        { name: columns.about, renderCell: (mail) => subjectOf(mail) ?? '—' },
        { name: columns.attempts, isNumber: true, renderCell: ({ attempts }) => attempts },
        {
          name: columns.when,
          renderCell: ({ sentAt, createdAt, nextAt }) =>
            ago(sentAt ?? createdAt) + (nextAt === null ? '' : ` · ${nextTry(format.time(nextAt))}`),
        },
        { name: columns.error, className: `mono ${styles.error}`, renderCell: ({ lastError }) => lastError },
      ]}
    />
  )
}

function Resend({ mail }: { mail: Mail }) {
  const { ops } = messages
  const [isAsking, setAsking] = useState(false)
  const sending = useIdempotentPost('POST /api/operator/ops/mails/:id/resend', { params: { id: mail.id } })
  const kind = kindOf(mail)
  const about = subjectOf(mail)
  return (
    <>
      <Button small aria-label={ops.resendOf(kind, ago(mail.createdAt))} onClick={() => setAsking(true)}>
        {ops.resend}
      </Button>
      {isAsking && (
        <ConfirmDialog
          question={ops.resendQuestion(kind, addressOf(mail))}
          action={ops.resend}
          busy={sending.busy}
          onConfirm={() => sending.send({}, ops.resent)}
          onClose={() => setAsking(false)}
        >
          {about && <p>{ops.aboutSong(about)}</p>}
          <p>{mail.sentAt === null ? ops.neverSent : ops.alreadySent(format.when(mail.sentAt))}</p>
        </ConfirmDialog>
      )}
    </>
  )
}
