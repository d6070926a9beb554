import { SERVICE_NAMES } from '@prelude/contracts'
import { PARTITIONS } from '@prelude/platform'
import type pg from 'pg'
import { SOURCES, unhandled } from '../invariants/events.ts'

/** What consumers will read: a broker's topics, or the services' logs themselves. */
export type Bus = 'broker' | 'log'

/**
 * Fits the cursors of a copied database to another bus, whose topics are empty. Consumers go on where they were. With
 * another number of partitions their cursors begin where the furthest one was; an event before it that was not handled
 * yet waits in dead_letter, and is handled from there as soon as the service runs. Forwarders begin before the first event
 * that some consumer has yet to handle. Answers how many events they will forward.
 */
export async function setCursors(client: pg.Client, bus: Bus): Promise<number> {
  const partitions = bus === 'broker' ? PARTITIONS : 1
  for (const [consumer, sources] of Object.entries(SOURCES))
    for (const source of sources) await repartition(client, { consumer, source, partitions })
  let events = 0
  for (const source of SERVICE_NAMES) {
    await client.query(`delete from ${source}.cursor where topic = 'prelude.${source}'`)
    if (bus === 'log') continue
    const consumers = Object.entries(SOURCES).flatMap(([name, from]) => (from.includes(source) ? [name] : []))
    // live streams keep no cursor: a topic that nobody else consumes begins after its last event
    const waiting =
      consumers.map((consumer) => unhandled(consumer, source)).join(' union all ') ||
      `select * from ${source}.event where false`
    const { rows } = await client.query<{ events: number }>(
      `with start as (
         select coalesce((select min(position) - 1 from (${waiting}) waiting),
                         (select last_value from ${source}.event_position_seq where is_called), 0) as position
       ), placed as (
         insert into ${source}.cursor (topic, partition, partitions, position, taken)
         select 'prelude.${source}', 0, 1, position, (select count(*) from ${source}.event e where e.position <= start.position)
         from start
       )
       select count(*)::int as events from ${source}.event, start where event.position > start.position`,
    )
    events += rows[0]?.events ?? 0
  }
  return events
}

async function repartition(
  client: pg.Client,
  { consumer, source, partitions }: { consumer: string; source: string; partitions: number },
): Promise<void> {
  const topic = `prelude.${source}`
  const { rows } = await client.query<{ position: string; taken: string; partitions: number }>(
    `select max(position) as position, sum(taken) as taken, max(partitions) as partitions
     from ${consumer}.cursor where topic = $1 having count(*) > 0`,
    [topic],
  )
  const [old] = rows
  if (!old || old.partitions === partitions) return
  const { rowCount: skipped } = await client.query(
    `insert into ${consumer}.dead_letter (topic, key, position, type, value, error, replay_requested_at)
     select $1, key, position, type,
            json_build_object('id', id, 'type', type, 'version', version, 'for', "for", 'topic', $1::text, 'key', key, 'position', position,
              'at', at, 'correlationId', correlation_id, 'data', data)::text,
            'not handled before the move to another bus', now()
     from (${unhandled(consumer, source)}) waiting where position <= $2 order by position`,
    [topic, old.position],
  )
  await client.query(
    `insert into ${consumer}.parked_key (topic, key)
     select distinct topic, key from ${consumer}.dead_letter where topic = $1 and resolved_at is null on conflict do nothing`,
    [topic],
  )
  await client.query(`delete from ${consumer}.cursor where topic = $1`, [topic])
  await client.query(
    `insert into ${consumer}.cursor (topic, partition, partitions, position, taken)
     select $1, number, $2::integer, $3, case number when 0 then $4::bigint else 0 end
     from generate_series(0, $2::integer - 1) number`,
    [topic, partitions, old.position, Number(old.taken) + (skipped ?? 0)],
  )
}
