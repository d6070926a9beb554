import { SERVICE_NAMES } from '@prelude/contracts'
import { command, withClient } from './command.ts'

/** `make replay`: requests the replay of all dead letters; a running product handles them within seconds. */
await command((adminUrl) =>
  withClient(adminUrl, async (client) => {
    let requested = 0
    for (const schema of SERVICE_NAMES) {
      const { rowCount } = await client.query(
        `update ${schema}.dead_letter set replay_requested_at = now() where resolved_at is null`,
      )
      requested += rowCount ?? 0
      if (rowCount) process.stdout.write(`${schema}: ${rowCount} event(s) will be handled again\n`)
    }
    process.stdout.write(requested === 0 ? 'There are no dead letters.\n' : 'Watch /readyz and the log.\n')
    return true
  }),
)
