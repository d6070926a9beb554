import { SERVICE_NAMES } from '@prelude/contracts'
import { withOwnerConnection } from '@prelude/platform'
import { command, onDatabase, say } from './command.ts'

/** A running product handles them within seconds. */
export const replay = command('Handle parked events again, once their cause is repaired', {}, () =>
  onDatabase((adminUrl) =>
    withOwnerConnection(adminUrl, async (client) => {
      let requested = 0
      for (const schema of SERVICE_NAMES) {
        const { rowCount } = await client.query(
          `update ${schema}.dead_letter set replay_requested_at = now() where resolved_at is null`,
        )
        requested += rowCount ?? 0
        if (rowCount) say(`${schema}: ${rowCount} event(s) will be handled again`)
      }
      say(requested === 0 ? 'There are no dead letters.' : 'Watch /readyz and the log.')
      return true
    }),
  ),
)
