import type {
  BrowserFacts,
  KeptPreferences,
  Language,
  Preferences,
  PreferencesChange,
} from '@prelude/contracts'
import type { Tx, Query } from '@prelude/platform'
import { DEFAULT_READER, type Reader } from '../domain/reader.ts'

interface Row {
  readonly ready: boolean
  readonly charged: boolean
  readonly late: boolean
  readonly push: boolean
  readonly language: Language | null
}

const COLUMNS = 'mail_ready as ready, mail_charged as charged, mail_late as late, push, language'
const DEFAULTS: Row = { ready: true, charged: true, late: true, push: false, language: null }

const preferencesOf = ({ ready, charged, late, push, language }: Row): Preferences => ({
  mail: { ready, charged, late, receipts: true },
  push,
  language,
})

export async function readPreferences(db: Query, uid: string): Promise<KeptPreferences> {
  const { rows } = await db.query<Row & { browser: BrowserFacts }>(
    `select ${COLUMNS}, json_strip_nulls(json_build_object('language', browser_language, 'timeZone', time_zone)) as browser
     from preference where uid = $1`,
    [uid],
  )
  const row = rows[0] ?? { ...DEFAULTS, browser: {} }
  return { ...preferencesOf(row), browser: row.browser }
}

/** Changes the given preferences and answers all of them. For a person whose account was closed nothing is kept. */
export async function changePreferences(
  tx: Tx,
  uid: string,
  { mail = {}, push, language }: PreferencesChange,
): Promise<Preferences> {
  const given = [mail.ready, mail.charged, mail.late, push].map((value) => value ?? null)
  const { rows } = await tx.query<Row>(
    `insert into preference as p (uid, mail_ready, mail_charged, mail_late, push, language)
     values ($1, coalesce($2, true), coalesce($3, true), coalesce($4, true), coalesce($5, false), $7)
     on conflict (uid) do update set mail_ready = coalesce($2, p.mail_ready), mail_charged = coalesce($3, p.mail_charged),
       mail_late = coalesce($4, p.mail_late), push = coalesce($5, p.push), language = case when $6 then $7 else p.language end
     returning ${COLUMNS}`,
    [uid, ...given, language !== undefined, language ?? null],
  )
  if (push === false)
    await tx.query(
      'delete from push_message using push_subscription s where s.id = push_message.subscription_id and s.uid = $1',
      [uid],
    )
  return preferencesOf(rows[0] ?? DEFAULTS)
}

/** Keeps what a browser of the person says; what is known already costs no version of the row. */
export async function noteBrowser(
  db: Query,
  uid: string,
  { language, timeZone }: BrowserFacts,
): Promise<void> {
  await db.query(
    `insert into preference as p (uid, browser_language, time_zone) values ($1, $3, $4)
     on conflict (uid) do update set browser_language = case when $2 then $3 else p.browser_language end,
       time_zone = coalesce($4, p.time_zone)
     where ($2 and p.browser_language is distinct from $3) or p.time_zone is distinct from coalesce($4, p.time_zone)`,
    [uid, language !== undefined, language ?? null, timeZone ?? null],
  )
}

export async function readReaders(db: Query, uids: readonly string[]): Promise<ReadonlyMap<string, Reader>> {
  const { rows } = await db.query<{ uid: string; language: Language | null; timeZone: string | null }>(
    `select uid, coalesce(language, browser_language) as language, time_zone as "timeZone"
     from preference where uid = any($1)`,
    [uids],
  )
  return new Map(
    rows.map(({ uid, language, timeZone }) => [
      uid,
      { language: language ?? DEFAULT_READER.language, timeZone },
    ]),
  )
}
