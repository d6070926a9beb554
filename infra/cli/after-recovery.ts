import { createLogger, readConfig, setting, url } from '@prelude/platform'
import { fitToRecovered } from '../move/move.ts'
import { assertEmptyTopics, readRemoteBus } from '../move/remote-servers.ts'
import { command, say, worksOn } from './command.ts'

const SERVER = {
  adminUrl: setting('DATABASE_ADMIN_URL', 'owner of the recovered database', url),
}

/**
 * For a database that was recovered to an earlier time, before any service runs: nobody is written to about what lies before
 * it, and events go on in topics that are empty again.
 */
export const afterRecovery = command(
  'Let the product continue on a database recovered to an earlier time',
  {},
  async () => {
    const { adminUrl } = readConfig(SERVER, process.env)
    worksOn(`the database at ${new URL(adminUrl).host}`)
    const bus = readRemoteBus(process.env)
    const logger = createLogger({ service: 'after-recovery', level: 'warn', pretty: process.stdout.isTTY })
    if (bus === 'broker') await assertEmptyTopics(process.env, logger)
    const events = await fitToRecovered(adminUrl, bus)
    say(
      `The product can continue; ${events} events will be forwarded. Mails that waited count as given up. Now run check-invariants.`,
    )
    return true
  },
)
