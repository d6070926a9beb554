import { createLogger } from '@prelude/platform'
import { resolve } from 'node:path'
import { StartError } from '../embedded/start-error.ts'
import { keptSecrets } from '../embedded/secrets.ts'
import { withDatabase } from '../embedded/with-database.ts'
import { assertEmptyTopics, readRemoteBus, readRemoteServers } from '../move/remote-servers.ts'
import { blobsOf, hasData, inNewFolder } from '../move/folder.ts'
import { copy, type Moved, onMigratedCopy, type Servers } from '../move/move.ts'
import { readMark } from '../move/old-backups.ts'
import type { Bus } from '../move/set-cursors.ts'
import { command, dataFolder, given, say, sayFindings, worksOn } from './command.ts'

/**
 * Into DATA_DIR, which must hold nothing, or into the servers that DATABASE_ADMIN_URL, BLOBS_URL and BUS_URL name, which are
 * prepared and unused, with empty topics. Nobody is written to about what lies before the backup.
 */
export const restore = command(
  'Bring a backup back into an empty folder, or onto empty servers',
  { from: { type: 'string' } },
  async (values) => {
    const servers = readRemoteServers(process.env)
    const dataDir = servers ? '' : dataFolder()
    worksOn(servers ? `the database at ${new URL(servers.adminUrl).host}` : dataDir)
    const from = resolve(given(values.from, 'the backup, --from=backups/…'))
    if (!hasData(from)) throw new StartError(`There is no backup in ${from}.`)
    const logger = createLogger({ service: 'restore', level: 'warn', pretty: process.stdout.isTTY })
    const mark = await readMark(from)
    if (mark?.version) say(`A backup of version ${mark.version}${mark.image ? `, image ${mark.image}` : ''}.`)
    const { databaseRoles: password } = await keptSecrets(from)
    const restored = await withDatabase({ dataDir: from, adminUrl: undefined }, (backupUrl) =>
      onMigratedCopy(backupUrl, { password, logger }, async (adminUrl) => {
        const options = { ofRunning: false, quietly: true, ...(mark && { at: mark.takenAt }) }
        const fill = (to: Servers, bus: Bus): Promise<Moved> =>
          copy({ adminUrl, blobs: blobsOf(from) }, to, { ...options, bus })
        if (servers === null)
          return inNewFolder(dataDir, { secretsFrom: from, logger }, (folder) => fill(folder, 'log'))
        await assertEmptyTopics(process.env, logger)
        return fill(servers, readRemoteBus(process.env))
      }),
    )
    const { rows, objects } = restored
    say(
      `${rows} rows and ${objects} objects restored and checked. Mails that waited count as given up; people sign in again.`,
    )
    return sayFindings(restored)
  },
)
