import type { Preferences, PreferencesChange } from '@prelude/contracts'
import type { Tx, Query } from '@prelude/platform'

interface Row {
  readonly ready: boolean
  readonly charged: boolean
  readonly late: boolean
  readonly push: boolean
}

const COLUMNS = 'mail_ready as ready, mail_charged as charged, mail_late as late, push'
const DEFAULTS: Row = { ready: true, charged: true, late: true, push: false }

const preferencesOf = ({ push, ...mail }: Row): Preferences => ({ mail: { ...mail, receipts: true }, push })

export async function readPreferences(db: Query, uid: string): Promise<Preferences> {
  const { rows } = await db.query<Row>(`select ${COLUMNS} from preference where uid = $1`, [uid])
  return preferencesOf(rows[0] ?? DEFAULTS)
}

/** Changes the given preferences and answers all of them. For a person whose account was closed nothing is kept. */
export async function changePreferences(
  tx: Tx,
  uid: string,
  { mail = {}, push }: PreferencesChange,
): Promise<Preferences> {
  const given = [mail.ready, mail.charged, mail.late, push].map((value) => value ?? null)
  const { rows } = await tx.query<Row>(
    `insert into preference as p (uid, mail_ready, mail_charged, mail_late, push)
     values ($1, coalesce($2, true), coalesce($3, true), coalesce($4, true), coalesce($5, false))
     on conflict (uid) do update set mail_ready = coalesce($2, p.mail_ready), mail_charged = coalesce($3, p.mail_charged),
       mail_late = coalesce($4, p.mail_late), push = coalesce($5, p.push)
     returning ${COLUMNS}`,
    [uid, ...given],
  )
  if (push === false)
    await tx.query(
      'delete from push_message using push_subscription s where s.id = push_message.subscription_id and s.uid = $1',
      [uid],
    )
  return preferencesOf(rows[0] ?? DEFAULTS)
}
