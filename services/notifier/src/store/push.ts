import type { NewPushSubscription } from '@prelude/contracts'
import { newId, type Query, type Tx } from '@prelude/platform'
import { GIVE_UP_AFTER_MS } from '../domain/back-off.ts'

/** Subscriptions of one person; the oldest goes. */
const MAX_SUBSCRIPTIONS = 20
/** The lease of a sender: after it another sender takes the message over. Longer than any attempt. */
const LEASE_MS = 60_000

export interface VapidKeys {
  readonly publicKey: string
  readonly privateKey: string
}

/** The stored keys; without any, the given ones are stored. So all instances use the keys of the first. */
export async function keepKeys(db: Query, made: VapidKeys): Promise<VapidKeys> {
  await db.query('insert into push_key (public_key, private_key) values ($1, $2) on conflict do nothing', [
    made.publicKey,
    made.privateKey,
  ])
  const { rows } = await db.query<VapidKeys>(
    'select public_key as "publicKey", private_key as "privateKey" from push_key',
  )
  return rows[0] ?? made
}

export interface PushSubscription {
  readonly id: string
  readonly endpoint: string
  readonly p256dh: string
  readonly auth: string
}

/**
 * Keeps a browser's subscription; answers its id, which is that of the endpoint. A browser in which another person has
 * signed in is that person's. For a person whose account was closed nothing is kept.
 */
export async function keepSubscription(
  tx: Tx,
  uid: string,
  { endpoint, keys: { p256dh, auth } }: NewPushSubscription,
  now: number,
): Promise<string> {
  const id = newId()
  await tx.query(
    `delete from push_message using push_subscription s
     where s.id = push_message.subscription_id and s.endpoint = $1 and s.uid <> $2`,
    [endpoint, uid],
  )
  const { rows } = await tx.query<{ id: string }>(
    `insert into push_subscription (id, uid, endpoint, p256dh, auth, created_at)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (endpoint) do update set uid = $2, p256dh = $4, auth = $5 returning id`,
    [id, uid, endpoint, p256dh, auth, now],
  )
  await tx.query(
    `delete from push_subscription where id in (
       select id from push_subscription where uid = $1 order by created_at desc, id desc offset $2)`,
    [uid, MAX_SUBSCRIPTIONS],
  )
  return rows[0]?.id ?? id
}

export async function listSubscriptions(
  db: Query,
  uid: string,
): Promise<{ id: string; endpoint: string; createdAt: number }[]> {
  const { rows } = await db.query<{ id: string; endpoint: string; createdAt: number }>(
    `select id, endpoint, created_at as "createdAt" from push_subscription where uid = $1
     order by created_at desc, id desc`,
    [uid],
  )
  return rows
}

/** With its messages. False when the person has no such subscription. */
export async function endSubscription(db: Query, uid: string, id: string): Promise<boolean> {
  const { rowCount } = await db.query('delete from push_subscription where uid = $1 and id = $2', [uid, id])
  return rowCount > 0
}

/** What a push says about a song. */
type PushKind = 'ready' | 'message'

export interface NewPush {
  readonly uid: string
  readonly songId: string | null
  readonly kind: PushKind
}

/**
 * Queues a message for each subscription of the people who want pushes. One that waits for the same song says the newest, as
 * browsers and push services do.
 */
export async function queuePushes(tx: Tx, pushes: readonly NewPush[], now: number): Promise<void> {
  if (pushes.length === 0) return
  await tx.query(
    `insert into push_message as waiting (subscription_id, song_id, kind, next_at, give_up_at)
     select s.id, new."songId", new.kind, $2, $3 from json_to_recordset($1) as new (uid text, "songId" text, kind text)
     join preference p on p.uid = new.uid and p.push join push_subscription s on s.uid = new.uid
     on conflict (subscription_id, song_id) do update
       set kind = excluded.kind, attempts = 0, next_at = excluded.next_at, give_up_at = excluded.give_up_at, holder = null
       where waiting.kind <> excluded.kind`,
    [JSON.stringify(pushes), now, now + GIVE_UP_AFTER_MS],
  )
}

/** A message that this process is sending now. `attempts` counts this attempt too. */
export interface ClaimedPush extends PushSubscription {
  readonly uid: string
  readonly songId: string
  readonly kind: PushKind
  readonly attempts: number
  readonly giveUpAt: number
}

/** As releaseMessages. */
export async function releasePushes(db: Query, instance: string, now: number): Promise<void> {
  await db.query('update push_message set next_at = $2, holder = null where holder = $1', [instance, now])
}

/** Leases the message that is due first, also one whose lease ended because its sender crashed; none of the people `except`. */
export async function claimPush(
  db: Query,
  { instance, except, now }: { instance: string; except: readonly string[]; now: number },
): Promise<ClaimedPush | undefined> {
  const { rows } = await db.query<ClaimedPush>(
    `update push_message m set attempts = attempts + 1, next_at = $2::bigint, holder = $4
     from push_subscription s where s.id = m.subscription_id and (m.subscription_id, m.song_id) = (
       select subscription_id, song_id from push_message due join push_subscription of on of.id = due.subscription_id
       where next_at <= $1::bigint and of.uid <> all($3)
       order by next_at limit 1 for update of due skip locked)
     returning s.id, s.uid, s.endpoint, s.p256dh, s.auth, m.song_id as "songId", m.kind, attempts, give_up_at as "giveUpAt"`,
    [now, now + LEASE_MS, except, instance],
  )
  return rows[0]
}

/** No effect on another kind that has taken its place meanwhile, like the next one. */
export async function dropPush(db: Query, { id, songId, kind }: ClaimedPush): Promise<void> {
  await db.query('delete from push_message where subscription_id = $1 and song_id = $2 and kind = $3', [
    id,
    songId,
    kind,
  ])
}

export async function delayPush(
  db: Query,
  { id, songId, kind }: ClaimedPush,
  { nextAt, unauthorized }: { nextAt: number; unauthorized: boolean },
): Promise<void> {
  await db.query(
    `update push_message set next_at = $3, unauthorized = $4, holder = null
     where subscription_id = $1 and song_id = $2 and kind = $5`,
    [id, songId, nextAt, unauthorized, kind],
  )
}

/** The browser has ended it. Its messages go too. */
export async function dropSubscription(db: Query, { id }: ClaimedPush): Promise<void> {
  await db.query('delete from push_subscription where id = $1', [id])
}
