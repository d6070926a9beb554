import { useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import type { Ops } from '@prelude/contracts'
import { songQuery } from '../../../api/songs.ts'
import { format, messages } from '../../../messages.ts'
import { Button } from '../../../ui/button.tsx'
import { songName } from '../../../text/song-name.ts'
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx'
import { ago } from '../../../text/time.ts'
import { excerpt } from '../excerpt.ts'
import { useIdempotentPost } from '../operator-list.tsx'
import styles from './ops.module.css'
import { Section, Table } from './table.tsx'

type Mail = NonNullable<Ops['mails']>[number]

/** Names of anyone's songs by id. */
function useNamesOfSongs(ids: readonly string[]): ReadonlyMap<string, string | undefined> {
  const found = useQueries({
    queries: ids.map((id) => ({ ...songQuery(id), staleTime: Infinity })),
  })
  return new Map(
    found.map(({ data, isPending }, at) => [
      ids[at] ?? '',
      data ? songName(data) : isPending ? '…' : undefined,
    ]),
  )
}

/** Pending and failed mails, then on demand the last ones sent. */
export function Mails({ mails }: Pick<Ops, 'mails'>) {
  const songIds = (mails ?? []).flatMap(({ songId }) => (songId === null ? [] : [songId]))
  const songNames = useNamesOfSongs([...new Set(songIds)])
  const empty =
    mails === null ? messages.ops.notifierUnavailable : mails.length === 0 ? messages.ops.noMails : undefined
  const sent = mails?.filter(({ state }) => state === 'sent') ?? []
  const unsent = mails?.filter(({ state }) => state !== 'sent') ?? []
  return (
    <Section title={messages.ops.mails} empty={empty}>
      {unsent.length > 0 && <MailTable label={messages.ops.mails} mails={unsent} songNames={songNames} />}
      {sent.length > 0 && (
        <details>
          <summary>{messages.ops.sentMails(sent.length)}</summary>
          <MailTable label={messages.ops.sentMails(sent.length)} mails={sent} songNames={songNames} />
        </details>
      )}
    </Section>
  )
}

function MailTable(props: {
  label: string
  mails: readonly Mail[]
  songNames: ReadonlyMap<string, string | undefined>
}) {
  const { columns } = messages.ops
  return (
    <Table
      label={props.label}
      className={styles.mails}
      columns={[
        columns.mail,
        columns.state,
        columns.resend,
        columns.to,
        columns.about,
        columns.attempts,
        columns.when,
        columns.error,
      ]}
      numeric={[columns.attempts]}
    >
      {props.mails.map((mail) => (
        <MailRow key={mail.id} mail={mail} song={props.songNames.get(mail.songId ?? '')} />
      ))}
    </Table>
  )
}

const COLOURS = { pending: 'fair', failed: 'bad', sent: 'soft' } as const

/** `song`: the name of the one that it is about, if any. */
function MailRow({ mail, song }: { mail: Mail; song: string | undefined }) {
  const { ops } = messages
  const [isAsking, setAsking] = useState(false)
  const sending = useIdempotentPost('POST /api/operator/ops/mails/:id/resend', { params: { id: mail.id } })
  const kind = ops.kinds[mail.kind as keyof typeof ops.kinds] ?? mail.kind
  const to = mail.toOperator ? ops.toOperator : (mail.to ?? ops.toUnknown)
  const about = song === undefined ? null : `“${excerpt(song)}”`
  return (
    <tr>
      <th scope="row">{kind}</th>
      <td className={COLOURS[mail.state]}>{ops.mailStates[mail.state]}</td>
      <td>
        <Button small aria-label={ops.resendOf(kind, ago(mail.createdAt))} onClick={() => setAsking(true)}>
          {ops.resend}
        </Button>
        {isAsking && (
          <ConfirmDialog
            question={ops.resendQuestion(kind, to)}
            action={ops.resend}
            busy={sending.busy}
            onConfirm={() => sending.send({}, ops.resent)}
            onClose={() => setAsking(false)}
          >
            {about && <p>{ops.aboutSong(about)}</p>}
            <p>{mail.sentAt === null ? ops.neverSent : ops.alreadySent(format.when(mail.sentAt))}</p>
          </ConfirmDialog>
        )}
      </td>
      <td>{to}</td>
      <td>{about ?? '—'}</td>
      <td className="number">{mail.attempts}</td>
      <td>
        {ago(mail.sentAt ?? mail.createdAt)}
        {mail.nextAt !== null && ` · ${ops.nextTry(format.time(mail.nextAt))}`}
      </td>
      <td className={`mono ${styles.error}`}>{mail.lastError ?? ''}</td>
    </tr>
  )
}
