import type pg from 'pg'

/**
 * Makes these events of `source`'s log dead letters of `consumer` whose replay is requested, in the order of positions: the
 * consumer handles them as soon as it runs. `events`: a query of the log's rows. Answers how many were not known before.
 */
export async function queueForReplay(
  client: pg.ClientBase,
  { consumer, source, reason }: { consumer: string; source: string; reason: string },
  events: string,
  params: readonly unknown[],
): Promise<number> {
  const topic = `prelude.${source}`
  const { rowCount } = await client.query(
    `insert into ${consumer}.dead_letter (topic, key, position, type, value, error, replay_requested_at)
     select '${topic}', key, position, type,
            json_build_object('id', id, 'type', type, 'version', version, 'for', "for", 'topic', '${topic}', 'key', key, 'position', position,
              'at', at, 'correlationId', correlation_id, 'data', data)::text,
            '${reason}', now()
     from (${events}) queued order by position
     on conflict do nothing`,
    [...params],
  )
  await client.query(
    `insert into ${consumer}.parked_key (topic, key)
     select distinct topic, key from ${consumer}.dead_letter where topic = $1 and resolved_at is null on conflict do nothing`,
    [topic],
  )
  return rowCount ?? 0
}
