import { parseArgs } from 'node:util'
import { SERVICE_NAMES } from '@prelude/contracts'
import { command, withClient } from './command.ts'
import { StartError } from './start-error.ts'

/**
 * `make republish KEY=uid | TOPIC=prelude.songs | SINCE=2026-01-31T00:00Z [UNTIL=…]`: forwards the log to the broker again,
 * from the first of these events on. Consumers drop what they have handled.
 */
const { values } = parseArgs({
  options: {
    key: { type: 'string' },
    topic: { type: 'string' },
    since: { type: 'string' },
    until: { type: 'string' },
  },
})
const given = Object.values(values).filter((value) => value !== undefined && value !== '')
if (given.length === 0) {
  process.stderr.write('Say what to forward again: KEY=uid, TOPIC=prelude.songs, SINCE=time or UNTIL=time.\n')
  process.exit(1)
}

const orNull = (value: string | undefined): string | null =>
  value === undefined || value === '' ? null : value

/** The cursors of forwarders; there is none without a broker. */
const FORWARDERS = SERVICE_NAMES.map(
  (name) => `select from ${name}.cursor where topic = 'prelude.${name}'`,
).join(' union all ')

await command((adminUrl) =>
  withClient(adminUrl, async (client) => {
    // a running forwarder could send newer events before the older ones, which consumers would then drop
    const { rows: running } = await client.query<{ name: string }>(
      `select application_name as name from pg_stat_activity
       where datname = current_database() and application_name = any($1) and exists (${FORWARDERS}) limit 1`,
      [SERVICE_NAMES.map((name) => `prelude-${name}`)],
    )
    if (running[0]) throw new StartError(`${running[0].name} is running; stop all services first.`)
    let events = 0
    for (const schema of SERVICE_NAMES) {
      const { rows } = await client.query<{ events: number }>(
        `with first as (
           select min(position) - 1 as position from ${schema}.event
           where key = coalesce($1, key) and 'prelude.${schema}' = coalesce($2, 'prelude.${schema}')
             and at >= coalesce(extract(epoch from $3::timestamptz) * 1000, at)
             and at <= coalesce(extract(epoch from $4::timestamptz) * 1000, at)
         ), again as (
           select c.position as reached, first.position, (select count(*) from ${schema}.event e
             where e.position > first.position and e.position <= c.position) as events
           from ${schema}.cursor c, first where c.topic = 'prelude.${schema}' and c.position > first.position for update of c
         ), rewound as (
           update ${schema}.cursor c set position = again.position, taken = taken - again.events
           from again where c.topic = 'prelude.${schema}'
         )
         select events::int from again`,
        [orNull(values.key), orNull(values.topic), orNull(values.since), orNull(values.until)],
      )
      events += rows[0]?.events ?? 0
    }
    process.stdout.write(
      events === 0
        ? 'No event has to be forwarded again. Without a broker services read the logs themselves.\n'
        : `${events} event(s) will be forwarded again.\n`,
    )
    return true
  }),
)
