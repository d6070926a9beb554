import type { Message, Ops } from '@prelude/contracts'
import { messages } from '../../../messages.ts'
import { Button } from '../../../ui/button.tsx'
import { ago } from '../../../ui/time.ts'
import { useIdempotentPost } from '../operator-list.tsx'
import styles from './ops.module.css'
import { Section, Table } from './table.tsx'

/** Pending and failed mails, then the last ones sent. */
export function Mails({ mails }: Pick<Ops, 'mails'>) {
  const { columns } = messages.ops
  const empty =
    mails === null ? messages.ops.notifierUnavailable : mails.length === 0 ? messages.ops.noMails : undefined
  return (
    <Section title={messages.ops.mails} empty={empty}>
      <Table
        label={messages.ops.mails}
        columns={[columns.mail, columns.state, columns.resend, columns.attempts, columns.when, columns.error]}
        numeric={[columns.attempts]}
      >
        {mails?.map((mail) => (
          <MailRow key={mail.id} mail={mail} />
        ))}
      </Table>
    </Section>
  )
}

const COLOURS = { pending: 'fair', failed: 'bad', sent: 'soft' } as const

function MailRow({ mail }: { mail: Message }) {
  const sending = useIdempotentPost(`/api/operator/ops/mails/${mail.id}/resend`)
  const kind = messages.ops.kinds[mail.kind as keyof typeof messages.ops.kinds] ?? mail.kind
  return (
    <tr>
      <th scope="row">{kind}</th>
      <td className={styles[COLOURS[mail.state]]}>{messages.ops.mailStates[mail.state]}</td>
      <td>
        <Button
          small
          busy={sending.busy}
          aria-label={messages.ops.resendOf(kind, ago(mail.createdAt))}
          onClick={() => void sending.send({}, messages.ops.resent)}
        >
          {messages.ops.resend}
        </Button>
      </td>
      <td className={styles.number}>{mail.attempts}</td>
      <td>{ago(mail.sentAt ?? mail.createdAt)}</td>
      <td className={`mono ${styles.error}`}>{mail.lastError ?? ''}</td>
    </tr>
  )
}
