import type { Message } from '@prelude/contracts'
import { batched, type Cause, type Clock, FROM_NEWEST, newId, type Query, type Tx } from '@prelude/platform'
import { GIVE_UP_AFTER_MS } from '../domain/back-off.ts'
import { causeOf, isToOperator, type MailFacts } from '../domain/mail-facts.ts'

/**
 * The lease of a sender, which it renews: after it another sender takes the message over. Each reads it by its own clock,
 * and those of two hosts may differ by a minute.
 */
const LEASE_MS = 75_000

/** Between two mails about replaced files of a song. */
const REPLACED_EVERY_MS = 60 * 60_000

/** A message that this process is sending now. `attempts` counts this attempt too. */
export interface ClaimedMessage {
  readonly id: string
  readonly messageId: string
  readonly attempts: number
  readonly giveUpAt: number
  readonly facts: MailFacts
  /** This mail, or another one to the person, was refused before: when this one is accepted, that is over. */
  readonly wasRefused: boolean
  /** Of the request that caused it. */
  readonly correlationId: string | null
  readonly traceparent: string | null
}

/** Of a message, as `rowOf` gives them. */
export const COLUMNS = 'id, message_id, cause, kind, to_operator, uid, refs, correlation_id, traceparent'
export const RECORD =
  'id uuid, message_id uuid, cause text, kind text, to_operator boolean, uid text, refs jsonb, correlation_id text, traceparent text'

export function rowOf(facts: MailFacts, { correlationId: correlation_id, traceparent }: Cause) {
  const { kind, uid, ...refs } = facts
  const [id, message_id, to_operator] = [newId(), newId(), isToOperator(facts)]
  return { id, message_id, cause: causeOf(facts), kind, to_operator, uid, refs, correlation_id, traceparent }
}

/**
 * Queues mails, each once per cause, in the transaction of their events; for a person whose account was closed those that
 * stay (closed-account.ts). One that the person has switched off counts as dropped, and one about another replaced file of a song
 * within an hour of the last.
 */
export function queueMessages(
  tx: Tx,
  queued: readonly { readonly facts: MailFacts; readonly cause: Cause }[],
  now: number,
): void {
  if (queued.length === 0) return
  const messages = queued.map(({ facts, cause }) => rowOf(facts, cause))
  tx.execute(
    `insert into message (${COLUMNS}, next_at, created_at, give_up_at, dropped, state, sent_at)
     select ${COLUMNS}, $2, $2, $3, unwanted, case when unwanted then 'sent' else 'pending' end, case when unwanted then $2::bigint end
     from json_to_recordset($1) as message (${RECORD}),
       lateral (select exists (select from preference where preference.uid = message.uid and (
         kind in ('song-ready', 'changes-delivered', 'song-replaced') and not mail_ready
         or kind = 'song-cooking' and not mail_charged or kind = 'song-late' and not mail_late))
         or kind = 'song-replaced' and exists (select from message other where other.uid = message.uid and other.kind = message.kind
           and other.refs ->> 'songId' = message.refs ->> 'songId' and other.created_at > $2::bigint - ${REPLACED_EVERY_MS} and not other.dropped)
         as unwanted) wish
     on conflict (cause) do nothing`,
    [JSON.stringify(messages), now, now + GIVE_UP_AFTER_MS],
  )
}

/** Makes due what the process before left, whose name the instance has: it was killed while it sent them. */
export async function releaseMessages(db: Query, instance: string, now: number): Promise<void> {
  await db.query(`update message set next_at = $2, holder = null where state = 'sending' and holder = $1`, [
    instance,
    now,
  ])
}

/** Leases due messages, customers' first, with those whose lease ended because their sender crashed. */
export async function claimMessages(
  db: Query,
  { instance, limit, now }: { instance: string; limit: number; now: number },
): Promise<ClaimedMessage[]> {
  const { rows } = await db.query<
    Omit<ClaimedMessage, 'facts'> & { kind: string; uid: string; refs: object }
  >(
    `update message set state = 'sending', attempts = attempts + 1, next_at = $2::bigint, holder = $4
     where id in (
       select id from message where state in ('pending', 'sending') and next_at <= $1::bigint
       order by to_operator, next_at limit $3 for update skip locked)
     returning id, message_id as "messageId", attempts, give_up_at as "giveUpAt", kind, uid, refs,
       correlation_id as "correlationId", traceparent,
       not to_operator and (last_error is not null
         or exists (select from message other where other.uid = message.uid and other.state = 'failed')) as "wasRefused"`,
    [now, now + LEASE_MS, limit, instance],
  )
  return rows.map(({ kind, uid, refs, ...message }) => ({
    ...message,
    facts: { kind, uid, ...refs } as MailFacts,
  }))
}

/** When the next batch may be sent, of all instances. A clock that was ahead delays nothing for more than a minute. */
export async function reserveBatch(db: Query, now: number, pauseMs: number): Promise<number> {
  const { rows } = await db.query<{ sendAt: number }>(
    `insert into mail_pace as pace (free_at) values ($1::bigint + $2)
     on conflict (one) do update set free_at = greatest($1, least(pace.free_at, $1::bigint + 60000)) + $2
     returning free_at - $2 as "sendAt"`,
    [now, pauseMs],
  )
  return rows[0]?.sendAt ?? now
}

/** Extends the leases of messages that are still being sent. */
export async function renewLeases(
  db: Query,
  messages: readonly ClaimedMessage[],
  now: number,
): Promise<void> {
  await db.query(
    `update message set next_at = $2::bigint from json_to_recordset($1) as mine (id uuid, attempts integer)
     where message.id = mine.id and message.attempts = mine.attempts and state = 'sending'`,
    [JSON.stringify(messages.map(({ id, attempts }) => ({ id, attempts }))), now + LEASE_MS],
  )
}

export type MarkSent = (id: string) => Promise<void>

/** Marks messages as sent, in batches: those sent while one statement runs are marked by the next one. */
export const sentMarker = (db: Query, clock: Clock): MarkSent =>
  batched(
    async (ids: readonly string[]): Promise<void[]> => {
      await db.query(
        `update message set state = 'sent', sent_at = $2, last_error = null where id = any($1::uuid[])`,
        [ids, clock.now()],
      )
      return ids.map(() => {})
    },
    { concurrency: 1, maxSize: 50 },
  )

/** `nextAt` null: given up. No effect when another sender has taken the message over meanwhile. */
export async function markTryFailed(
  db: Query,
  message: ClaimedMessage,
  { error, nextAt }: { error: string; nextAt: number | null },
): Promise<void> {
  await db.query(
    `update message set state = $3, next_at = coalesce($4::bigint, next_at), last_error = $5, holder = null
     where id = $1 and state = 'sending' and attempts = $2`,
    [message.id, message.attempts, nextAt === null ? 'failed' : 'pending', nextAt, error],
  )
}

/** A message that has become untrue before it could be sent is neither sent nor listed. Its event, handled once more, adds no other. */
export async function dropMessage(db: Query, { id, attempts }: ClaimedMessage, now: number): Promise<void> {
  await db.query(
    `update message set state = 'sent', sent_at = $3, dropped = true, holder = null
     where id = $1 and state = 'sending' and attempts = $2`,
    [id, attempts, now],
  )
}

/**
 * Makes a message due now, with the whole time until it is given up. One that was sent gets a new message id, or mail
 * programs would hide it as a duplicate; one that is being sent stays as it is. False when there is no such message.
 */
export async function queueAgain(db: Query, id: string, now: number): Promise<boolean> {
  const { rowCount } = await db.query(
    `update message set
       message_id = case when state = 'sent' then $4::uuid else message_id end,
       attempts = case when state = 'sending' then attempts else 0 end,
       next_at = case when state = 'sending' then next_at else $2::bigint end,
       give_up_at = $3::bigint,
       state = case when state = 'sending' then state else 'pending' end
     where id = $1 and not dropped`,
    [id, now, now + GIVE_UP_AFTER_MS, newId()],
  )
  return rowCount > 0
}

/** Newest first, of one person or of all, `limit` messages after the one at `after`. The state of one that is being sent is `pending`. */
export async function listMessages(
  db: Query,
  page: {
    uid: string | undefined
    unsent: boolean
    after: readonly [createdAt: number, id: string] | null
    limit: number
  },
): Promise<Message[]> {
  const { rows } = await db.query<Message>(
    `select id, kind, uid, refs ->> 'songId' as "songId", to_operator as "toOperator",
       case when state = 'pending' then next_at end as "nextAt", case when state = 'sending' then 'pending' else state end as state, attempts,
       created_at as "createdAt", sent_at as "sentAt", last_error as "lastError"
     from message where not dropped and (created_at, id) < ($1, $2)
       ${page.unsent ? `and state <> 'sent'` : ''} ${page.uid === undefined ? '' : 'and uid = $4'}
     order by created_at desc, id desc limit $3`,
    [...(page.after ?? FROM_NEWEST), page.limit, ...(page.uid === undefined ? [] : [page.uid])],
  )
  return rows
}
