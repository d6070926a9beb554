import { createLogger, open } from '@prelude/platform'
import { dirname, resolve } from 'node:path'
import pg from 'pg'
import { readSettings } from '../embedded/settings.ts'
import { StartError } from '../embedded/start-error.ts'
import { withDatabase } from '../embedded/with-database.ts'
import { runningServers } from '../embedded/running-servers.ts'
import { elsewhere } from '../move/elsewhere.ts'
import { earlierBackup } from '../move/earlier-backup.ts'
import { blobsOf, hasData, inNewFolder } from '../move/folder.ts'
import { copy, type Moved, type Side } from '../move/move.ts'
import { command, say } from './command.ts'
import { isStack } from '../move/stack-folder.ts'

/**
 * One consistent picture of everything, taken while the product runs or not (a stack must run), from
 * DATA_DIR or from the servers that DATABASE_ADMIN_URL and BLOBS_URL name. The backup is a data folder itself, with its secrets (0700).
 * Audio that the newest backup beside it holds is linked from there instead of copied again.
 */
export const backup = command(
  'Copy everything, running or not, into a folder',
  { to: { type: 'string' } },
  async (values) => {
    const { dataDir } = readSettings(process.env)
    const to = values.to ?? `backups/${new Date().toISOString().slice(0, 19).replaceAll(':', '')}`
    const logger = createLogger({ service: 'backup', level: 'warn', pretty: process.stdout.isTTY })
    const earlier = await earlierBackup(dirname(resolve(to)))
    const take = async (source: Side, secretsFrom: string | null): Promise<Moved> => {
      const taken = await inNewFolder(resolve(to), { secretsFrom, logger }, (target) =>
        copy(source, target, { ofRunning: true, quietly: false, bus: null, earlier }),
      )
      await recordBackup(source.adminUrl)
      return taken
    }
    const servers = elsewhere(process.env)
    if (servers === null && !hasData(dataDir))
      throw new StartError(`There is nothing to back up in ${dataDir}.`)
    const { rows, objects } = servers
      ? await take(servers, null)
      : await withDatabase({ dataDir, adminUrl: undefined }, (adminUrl) =>
          take({ adminUrl, blobs: storeOf(dataDir) }, dataDir),
        )
    say(
      `${rows} rows and ${objects} objects are in ${to}, compared and checked. It holds secrets: keep it as you keep them.`,
    )
    return true
  },
)

/** In the database that was backed up; the notifier's metrics and alerts tell its age. */
async function recordBackup(adminUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl, connectionTimeoutMillis: 5_000 })
  await client.connect()
  try {
    await client.query(
      `insert into notifier.backup (taken_at) values ($1) on conflict (one) do update set taken_at = excluded.taken_at`,
      [Date.now()],
    )
  } finally {
    await client.end()
  }
}

/** A folder, or the server of the stack that runs there. */
function storeOf(dataDir: string): Side['blobs'] {
  const servers = runningServers(dataDir)
  if (servers) return open.blobs(servers.blobsUrl)
  if (isStack(dataDir))
    throw new StartError('Its object store does not run. Start the stack first: make stack')
  return blobsOf(dataDir)
}
