import { SERVICE_NAMES } from '@prelude/contracts'
import { StartError } from '../embedded/start-error.ts'
import { withOwnerConnection } from '@prelude/platform'
import { command, onDatabase, say } from './command.ts'

/** The cursors of forwarders; there is none without a broker. */
const FORWARDERS = SERVICE_NAMES.map(
  (name) => `select from ${name}.cursor where topic = 'prelude.${name}'`,
).join(' union all ')

const OPTIONS = {
  key: { type: 'string' },
  topic: { type: 'string' },
  since: { type: 'string' },
  until: { type: 'string' },
} as const

/** Forwards the log to the broker again, from the first of these events on. Consumers drop what they have handled. */
export const republish = command('Forward events to the broker again', OPTIONS, (values) => {
  if (Object.keys(values).length === 0)
    throw new StartError(
      'Say what to forward again: --key=uid, --topic=prelude.songs, --since=time or --until=time.',
    )
  const { key = null, topic = null, since = null, until = null } = values
  return onDatabase((adminUrl) =>
    withOwnerConnection(adminUrl, async (client) => {
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
          [key, topic, since, until],
        )
        events += rows[0]?.events ?? 0
      }
      say(
        events === 0
          ? 'No event has to be forwarded again. Without a broker services read the logs themselves.'
          : `${events} event(s) will be forwarded again.`,
      )
      return true
    }),
  )
})
