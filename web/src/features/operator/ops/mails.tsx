import type { Message, Ops } from '@prelude/contracts'
import { messages } from '../../../messages.ts'
import { Button } from '../../../ui/button.tsx'
import { ago } from '../../../ui/clock.ts'
import { useOnce } from '../desk-list.tsx'
import styles from './ops.module.css'
import { Section, Table } from './table.tsx'

/** Mails that wait or were given up, then the last that went out. */
export function Mails({ mails }: Pick<Ops, 'mails'>) {
  const { heads } = messages.ops
  const none =
    mails === null ? messages.ops.notifierAway : mails.length === 0 ? messages.ops.noMail : undefined
  return (
    <Section title={messages.ops.mails} none={none}>
      <Table
        label={messages.ops.mails}
        heads={[heads.mail, heads.state, heads.act, heads.tries, heads.when, heads.error]}
        figures={[heads.tries]}
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
  const sending = useOnce(`/api/operator/ops/mails/${mail.id}/resend`)
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
