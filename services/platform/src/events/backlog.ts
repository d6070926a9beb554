import type { Query } from '../database/port.ts'

/** What waits in a part's own tables between its database and the bus. */
export interface Queues {
  readonly outboxDepth: number
  /** Of the oldest event that was not sent; 0 when none waits. */
  readonly outboxAgeSeconds: number
  /** Keys whose next event the bus refused. */
  readonly blockedKeys: number
  readonly parkedKeys: Readonly<Record<string, number>>
  readonly deadLetters: Readonly<Record<string, number>>
}

/** Parked keys and dead letters by topic. */
export async function readQueues(db: Query): Promise<Queues> {
  const { rows } = await db.query<Omit<Queues, 'parkedKeys' | 'deadLetters'> & ByTopic>(
    `select (select count(*) from outbox_unsent) as "outboxDepth",
            (select greatest(0, coalesce(extract(epoch from now()) - min(at) / 1000.0, 0))
             from outbox_unsent join outbox using (id)) as "outboxAgeSeconds",
            (select count(*) from outbox_blocked) as "blockedKeys",
            (select json_object_agg(topic, n) from
              (select topic, count(*) as n from inbox where parked group by topic) t) as parked,
            (select json_object_agg(topic, n) from
              (select topic, count(*) as n from dead_letter where resolved_at is null group by topic) t) as dead`,
  )
  const [row] = rows
  if (!row) throw new Error('no answer')
  const { parked, dead, ...outbox } = row
  return { ...outbox, parkedKeys: parked ?? {}, deadLetters: dead ?? {} }
}

interface ByTopic {
  readonly parked: Record<string, number> | null
  readonly dead: Record<string, number> | null
}
