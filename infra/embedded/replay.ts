import { SERVICE_NAMES } from '@prelude/contracts'
import { command, withClient } from './command.ts'

/**
 * `make replay`: asks the services to handle their dead letters again; a running product does so within seconds.
 */
await command((adminUrl) =>
  withClient(adminUrl, async (client) => {
    let asked = 0
    for (const schema of SERVICE_NAMES) {
      const { rowCount } = await client.query(
        `update ${schema}.dead_letter set replay_requested_at = now() where resolved_at is null`,
      )
      asked += rowCount ?? 0
      if (rowCount) process.stdout.write(`${schema}: ${rowCount} event(s) will be handled again\n`)
    }
    process.stdout.write(asked === 0 ? 'No event waits for a repair.\n' : 'Watch /readyz and the log.\n')
    return true
  }),
)
