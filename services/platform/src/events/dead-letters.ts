import { readEnvelope } from './envelope.ts'
import type { Logger } from '../observability/logger.ts'
import type { BusMessage } from './port.ts'
import type { Database } from '../database/port.ts'
import type { Job } from '../host/service.ts'
import type { Inbox } from './consumer.ts'

interface Letter {
  id: number
  topic: BusMessage['topic']
  key: string
  seq: number | null
  value: string
}

/**
 * Feeds parked events again when somebody asked for it (`make replay`): a key in order, through the same handler, each
 * in one transaction with its mark. A key flows again when nothing of it waits any more.
 */
export function replayJob(db: Database, inbox: Inbox, logger: Logger): Job {
  return {
    name: 'replay-dead-letters',
    everyMs: 2_000,
    run: async (signal) => {
      const { rows } = await db.query<{ topic: string; key: string }>(
        `select distinct topic, key from dead_letter where resolved_at is null and replay_requested_at is not null`,
      )
      for (const { topic, key } of rows) if (!signal.aborted) await replayKey(db, inbox, topic, key, logger)
    },
  }
}

async function replayKey(
  db: Database,
  inbox: Inbox,
  topic: string,
  key: string,
  logger: Logger,
): Promise<void> {
  for (;;) {
    const more = await db
      .transaction((tx) => replayNext(tx, inbox, topic, key))
      .catch(async (error: Error) => {
        logger.error({ topic, err: error }, 'a replayed event failed again')
        await db.query(
          `update dead_letter set replay_requested_at = null, error = $3
           where topic = $1 and key = $2 and resolved_at is null`,
          [topic, key, `${error.name}: ${error.message}`],
        )
        return false
      })
    if (!more) return
  }
}

async function replayNext(
  tx: Parameters<Parameters<Database['transaction']>[0]>[0],
  inbox: Inbox,
  topic: string,
  key: string,
): Promise<boolean> {
  const mark = await tx.query<{ seq: number }>(
    'select seq from inbox where topic = $1 and key = $2 for update',
    [topic, key],
  )
  const { rows } = await tx.query<Letter>(
    `select id, topic, key, seq, value from dead_letter
     where topic = $1 and key = $2 and resolved_at is null order by seq nulls first, id limit 1`,
    [topic, key],
  )
  const letter = rows[0]
  if (!letter) {
    await tx.query('update inbox set parked = false where topic = $1 and key = $2', [topic, key])
    return false
  }
  const envelope = readEnvelope({ topic: letter.topic, key: letter.key, value: letter.value })
  if (!envelope) throw new Error('not an event envelope; discard it')
  const seen = mark.rows[0]?.seq ?? 0
  if (envelope.seq > seen + 1) throw new Error(`the event with seq ${seen + 1} is missing`)
  if (envelope.seq === seen + 1) {
    await inbox.retry(tx, envelope)
    await tx.query('update inbox set seq = $3 where topic = $1 and key = $2', [topic, key, envelope.seq])
  }
  await tx.query(`update dead_letter set resolved_at = now(), resolution = 'replayed' where id = $1`, [
    letter.id,
  ])
  return true
}
