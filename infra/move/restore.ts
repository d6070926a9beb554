import { createLogger, type Logger } from '@prelude/platform'
import { resolve } from 'node:path'
import { readSettings } from '../embedded/settings.ts'
import { StartError } from '../embedded/start-error.ts'
import { withDatabase } from '../embedded/with-database.ts'
import { readStackSettings } from '../stack/settings.ts'
import { assertEmptyTopics, busElsewhere, elsewhere } from './elsewhere.ts'
import { blobsOf, hasData, inNewFolder } from './folder.ts'
import { copy, type Moved, type Side } from './move.ts'
import type { Bus } from './place-cursors.ts'
import { runCommand } from '../embedded/run-command.ts'
import { inStackFolder } from './stack-folder.ts'

/**
 * `make restore FROM=backup`: into DATA_DIR, which must hold nothing, with INTO=stack into STACK_DIR, which must not either,
 * or into the servers that DATABASE_ADMIN_URL, BLOBS_URL and BUS_URL name, prepared and unused, with empty topics. Nobody is
 * written to about what lies before the backup.
 */
await runCommand(async () => {
  const { dataDir } = readSettings(process.env)
  const from = resolve(process.env['FROM'] ?? '')
  if (!hasData(from)) throw new StartError('Say which backup: FROM=backups/…')
  const logger = createLogger({ service: 'restore', level: 'warn', pretty: process.stdout.isTTY })
  const { rows, objects } = await withDatabase({ dataDir: from, adminUrl: undefined }, (adminUrl) => {
    const fill = (target: Side, bus: Bus): Promise<Moved> =>
      copy({ adminUrl, blobs: blobsOf(from) }, target, { ofRunning: false, quietly: true, bus })
    return into(from, dataDir, logger, fill)
  })
  return `${rows} rows and ${objects} objects restored and checked. Mails that waited count as given up; people sign in again.`
})

async function into(
  from: string,
  dataDir: string,
  logger: Logger,
  fill: (target: Side, bus: Bus) => Promise<Moved>,
): Promise<Moved> {
  const servers = elsewhere(process.env)
  if (servers) {
    await assertEmptyTopics(process.env, logger)
    return fill(servers, busElsewhere(process.env))
  }
  if (process.env['INTO'] !== 'stack')
    return inNewFolder(dataDir, { secretsFrom: from, logger }, (target) => fill(target, 'log'))
  const { dir } = readStackSettings(process.env)
  if (hasData(dir)) throw new StartError(`${dir} holds data already; nothing was copied.`)
  return inStackFolder(dir, { from, logger }, (target) => fill(target, 'broker'))
}
