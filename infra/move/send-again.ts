import type pg from 'pg'
import { SOURCES } from '../invariants/events.ts'

/**
 * Topics start empty, so every event that some consumer has not seen must be sent again: for each key, all above the
 * lowest of its consumers' marks. Who is further sees them as done before. Answers how many.
 */
export async function sendAgain(client: pg.Client): Promise<number> {
  let sent = 0
  for (const [source, consumers] of consumersOf()) {
    const lowest = consumers
      .map((consumer) => {
        const mark = `select seq from ${consumer}.inbox where topic = o.topic and key = o.key`
        return `coalesce((${mark}), 0)`
      })
      .join(', ')
    const { rowCount } = await client.query(
      `insert into ${source}.outbox_unsent select o.id, o.key from ${source}.outbox o
       where o.seq > least(${lowest}) on conflict do nothing`,
    )
    sent += rowCount ?? 0
  }
  return sent
}

function consumersOf(): Map<string, string[]> {
  const consumers = new Map<string, string[]>()
  for (const [consumer, sources] of Object.entries(SOURCES))
    for (const source of sources) consumers.set(source, [...(consumers.get(source) ?? []), consumer])
  return consumers
}
