import { createLogger } from '@prelude/platform'
import { resolve } from 'node:path'
import { readSettings } from '../embedded/settings.ts'
import { StartError } from '../embedded/start-error.ts'
import { withDatabase } from '../embedded/with-database.ts'
import { elsewhere } from './elsewhere.ts'
import { blobsOf, hasData, inNewFolder } from './folder.ts'
import { copy, type Moved, type Side } from './move.ts'
import { runCommand } from './run-command.ts'

/**
 * `make restore FROM=backup`: into DATA_DIR, which must hold nothing, or into the servers that DATABASE_ADMIN_URL and
 * BLOBS_URL name, prepared and unused, with empty topics. Nobody is written to about what lies before the backup.
 */
await runCommand(async () => {
  const { dataDir } = readSettings(process.env)
  const from = resolve(process.env['FROM'] ?? '')
  if (!hasData(from)) throw new StartError('Say which backup: FROM=backups/…')
  const logger = createLogger({ part: 'restore', level: 'warn', pretty: process.stdout.isTTY })
  const { rows, objects } = await withDatabase({ dataDir: from, adminUrl: undefined }, (adminUrl) => {
    const fill = (target: Side): Promise<Moved> =>
      copy({ adminUrl, blobs: blobsOf(from) }, target, { ofRunning: false, quietly: true })
    const servers = elsewhere(process.env)
    return servers ? fill(servers) : inNewFolder(dataDir, { secretsFrom: from, logger }, fill)
  })
  return `${rows} rows and ${objects} objects restored and checked. Mails that waited count as given up; people sign in again.`
})
