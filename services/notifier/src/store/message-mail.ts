import type { Cause, Tx } from '@prelude/platform'
import { GIVE_UP_AFTER_MS } from '../domain/back-off.ts'
import type { MailFacts } from '../domain/mail-facts.ts'
import { COLUMNS, RECORD, rowOf } from './message.ts'
import { KEPT_MS } from './unannounced-request.ts'

/** Mails about what owner and operator write to each other: a first one at once, then at most one an hour, if it is still true. */

const HOUR_MS = 60 * 60_000
/** Songs of one person about which the operator receives single mails within an hour; further ones come as a digest. */
const SONGS_ONE_BY_ONE = 5

/** A message, at a time that rises with each message of its song. */
export interface Written {
  readonly uid: string
  readonly songId: string
  readonly at: number
}

interface Known {
  readonly id: string
  readonly isPending: boolean
  /** When it was sent, or is due. */
  readonly at: number
  /** With the time of the newest message that it is about. */
  readonly songs: Readonly<Record<string, number>>
  readonly isDigest: boolean
}

/** `isFirst`: the owner has read all messages before it, so it is mailed at once. */
export async function queueToOwner(
  tx: Tx,
  { isFirst, ...written }: Written & { readonly isFirst: boolean },
  cause: Cause,
  now: number,
): Promise<void> {
  const { uid, songId, at } = written
  const known = await readKnown(tx, uid, ['message-to-owner'], now)
  const mails = known.filter(({ songs }) => songId in songs)
  if (isHandled(mails, written)) return
  const pending = mails.find(({ isPending }) => isPending)
  if (pending && isFirst) await drop(tx, pending, now)
  else if (pending && (await addTo(tx, pending, written))) return
  queue(tx, { kind: 'message-to-owner', uid, songId, at }, cause, isFirst ? now : nextOf(mails, now))
}

export async function queueToOperator(tx: Tx, written: Written, cause: Cause, now: number): Promise<void> {
  const { uid, songId, at } = written
  const known = await readKnown(tx, uid, ['message-to-operator', 'messages-to-operator'], now)
  const mails = known.filter(({ songs }) => songId in songs)
  if (isHandled(mails, written)) return
  const pending = mails.find(({ isPending }) => isPending)
  if (pending && (await addTo(tx, pending, written))) return
  const lately = known.filter((one) => !one.isDigest && (one.isPending || one.at > now - HOUR_MS))
  const others = new Set(lately.flatMap(({ songs }) => Object.keys(songs)).filter((id) => id !== songId))
  if (others.size < SONGS_ONE_BY_ONE)
    return queue(tx, { kind: 'message-to-operator', uid, songId, at }, cause, nextOf(mails, now))
  const digest = known.find(({ isDigest, isPending }) => isDigest && isPending)
  if (digest && (await addTo(tx, digest, written))) return
  queue(tx, { kind: 'messages-to-operator', uid, songs: { [songId]: at } }, cause, now + HOUR_MS)
}

/** The event of this message was handled before. */
const isHandled = (mails: readonly Known[], { songId, at }: Written): boolean =>
  mails.some(({ songs }) => (songs[songId] ?? 0) >= at)

/** An hour after the last one. */
const nextOf = (mails: readonly Known[], now: number): number =>
  Math.max(now, ...mails.map(({ at }) => at + HOUR_MS))

/** A person's mails of these kinds, for as long as an event about one may be handled again. */
async function readKnown(
  tx: Tx,
  uid: string,
  kinds: readonly MailFacts['kind'][],
  now: number,
): Promise<Known[]> {
  const { rows } = await tx.query<Known>(
    `select id, state = 'pending' as "isPending", coalesce(sent_at, created_at) as at, refs ? 'songs' as "isDigest",
       coalesce(refs -> 'songs', jsonb_build_object(refs ->> 'songId', refs -> 'at')) as songs
     from message where uid = $1 and kind = any($2) and created_at > $3 and not dropped and state <> 'failed'`,
    [uid, kinds, now - KEPT_MS],
  )
  return rows
}

function queue(tx: Tx, facts: MailFacts, cause: Cause, at: number): void {
  tx.execute(
    `insert into message (${COLUMNS}, next_at, created_at, give_up_at)
     select ${COLUMNS}, $2, $2, $3 from json_to_record($1) as message (${RECORD}) on conflict (cause) do nothing`,
    [JSON.stringify(rowOf(facts, cause)), at, at + GIVE_UP_AFTER_MS],
  )
}

/** A pending mail, which reads what is unread when it is sent, is about this message too. False when it is being sent meanwhile. */
async function addTo(tx: Tx, { id, isDigest }: Known, { songId, at }: Written): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update message set refs = jsonb_set(refs, $2, $3) where id = $1 and state = 'pending'`,
    [id, isDigest ? ['songs', songId] : ['at'], JSON.stringify(at)],
  )
  return rowCount > 0
}

async function drop(tx: Tx, { id }: Known, now: number): Promise<void> {
  await tx.query(
    `update message set state = 'sent', sent_at = $2, dropped = true where id = $1 and state = 'pending'`,
    [id, now],
  )
}
