import { command, EVENT_SCHEMAS, withClient } from './command.ts'

/**
 * `make replay`: asks the services to handle their parked events again, and to offer the bus again what it refused; a
 * running product does so within seconds.
 */
await command((adminUrl) =>
  withClient(adminUrl, async (client) => {
    let asked = 0
    for (const schema of EVENT_SCHEMAS) {
      const { rowCount } = await client.query(
        `update ${schema}.dead_letter set replay_requested_at = now() where resolved_at is null`,
      )
      asked += rowCount ?? 0
      if (rowCount) process.stdout.write(`${schema}: ${rowCount} event(s) will be handled again\n`)
      const { rowCount: freed } = await client.query(`delete from ${schema}.outbox_blocked`)
      asked += freed ?? 0
      if (freed) process.stdout.write(`${schema}: events of ${freed} people will be sent again\n`)
    }
    process.stdout.write(asked === 0 ? 'No event waits for a repair.\n' : 'Watch /readyz and the log.\n')
    return true
  }),
)
