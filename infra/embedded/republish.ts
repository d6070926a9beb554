import { parseArgs } from 'node:util'
import { command, EVENT_SCHEMAS, withClient } from './command.ts'

/**
 * `make republish KEY=uid | TOPIC=prelude.songs | SINCE=2026-01-31T00:00Z [UNTIL=…]`: sends events of the last 14 days
 * again. Whoever has seen them does nothing.
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
  process.stderr.write('Say what to send again: KEY=uid, TOPIC=prelude.songs, SINCE=time or UNTIL=time.\n')
  process.exit(1)
}

const orNull = (value: string | undefined): string | null =>
  value === undefined || value === '' ? null : value

await command((adminUrl) =>
  withClient(adminUrl, async (client) => {
    let sent = 0
    for (const schema of EVENT_SCHEMAS) {
      const { rowCount } = await client.query(
        `insert into ${schema}.outbox_unsent select id, key from ${schema}.outbox
         where key = coalesce($1, key) and topic = coalesce($2, topic)
           and at >= coalesce(extract(epoch from $3::timestamptz) * 1000, at)
           and at <= coalesce(extract(epoch from $4::timestamptz) * 1000, at)
         on conflict do nothing`,
        [orNull(values.key), orNull(values.topic), orNull(values.since), orNull(values.until)],
      )
      sent += rowCount ?? 0
    }
    process.stdout.write(`${sent} event(s) will be sent again.\n`)
    return true
  }),
)
