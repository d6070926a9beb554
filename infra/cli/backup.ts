import { createLogger, open, withOwnerConnection } from '@prelude/platform'
import { dirname, join, resolve } from 'node:path'
import { StartError } from '../embedded/start-error.ts'
import { withDatabase } from '../embedded/with-database.ts'
import { runningServers } from '../embedded/running-servers.ts'
import { readServersToCopy } from '../move/remote-servers.ts'
import { earlierBackup } from '../move/earlier-backup.ts'
import { assertNoData, blobsOf, hasData, inNewFolder, isStack } from '../move/folder.ts'
import { copy, type Moved, type Servers } from '../move/move.ts'
import { markBackup, removeOlderBackups, removeUnfinished } from '../move/old-backups.ts'
import { command, dataFolder, say, worksOn } from './command.ts'

/**
 * One consistent picture of everything, taken while the product runs or not (a stack must run), from
 * DATA_DIR or from the servers that DATABASE_ADMIN_URL (or AUDIT_DATABASE_URL) and BLOBS_URL name. The backup is a data folder
 * itself, with its secrets (0700): `--to`, or one named after the time in the folder `--in`. Audio that backups beside it hold is
 * linked from there instead of copied again. `--keep=DAYS` deletes what unfinished ones beside it have left, and, once it is
 * finished, those that were taken earlier than that many days before.
 */
export const backup = command(
  'Copy everything, running or not, into a folder',
  { to: { type: 'string' }, in: { type: 'string' }, keep: { type: 'string' } },
  async (values) => {
    const servers = readServersToCopy(process.env)
    const dataDir = servers ? '' : dataFolder()
    const takenAt = Date.now()
    const name = new Date(takenAt).toISOString().slice(0, 19).replaceAll(':', '')
    const to = resolve(values.to ?? join(values.in ?? 'backups', name))
    const keepDays = values.keep === undefined ? null : daysOf(values.keep)
    if (servers) worksOn(`the database at ${new URL(servers.adminUrl).host}`)
    const logger = createLogger({ service: 'backup', level: 'warn', pretty: process.stdout.isTTY })
    const earlier = await earlierBackup(dirname(to))
    // first: one that found the disk full may have left it so
    if (keepDays !== null)
      await removeUnfinished(dirname(to)).catch((error: Error) => say(`Not deleted: ${error.message}`))
    const take = async (source: Servers, secretsFrom: string | null): Promise<Moved> => {
      assertNoData(to)
      await markBackup(to, { takenAt, isFinished: false })
      const taken = await inNewFolder(to, { secretsFrom, logger }, (target) =>
        copy(source, target, { ofRunning: true, quietly: false, bus: null, earlier }),
      )
      await markBackup(to, { takenAt, isFinished: true })
      await recordBackup(source.adminUrl)
      return taken
    }
    if (servers === null && !hasData(dataDir))
      throw new StartError(`There is nothing to back up in ${dataDir}.`)
    const { rows, objects } = servers
      ? await take(servers, null)
      : await withDatabase({ dataDir, adminUrl: undefined, worksOn }, (adminUrl) =>
          take({ adminUrl, blobs: storeOf(dataDir) }, dataDir),
        )
    say(
      `${rows} rows and ${objects} objects are in ${to}, compared and checked. It holds secrets: keep it as you keep them.`,
    )
    if (keepDays === null) return true
    const removed = await removeOlderBackups(to, keepDays)
    if (removed.length > 0) say(`Deleted, since they are older than ${keepDays} days: ${removed.join(', ')}.`)
    return true
  },
)

/** Errors: StartError. */
function daysOf(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new StartError(`KEEP is a number of days, not "${text}".`)
  return Number(text)
}

/** In the database that was backed up; the notifier's metrics and alerts tell its age. */
const recordBackup = (adminUrl: string): Promise<unknown> =>
  withOwnerConnection(adminUrl, (client) =>
    client.query(
      `insert into notifier.backup (kind, taken_at) values ('all', $1)
       on conflict (kind) do update set taken_at = excluded.taken_at`,
      [Date.now()],
    ),
  )

/** A folder, or the server of the stack that runs there. */
function storeOf(dataDir: string): Servers['blobs'] {
  const servers = runningServers(dataDir)
  if (servers) return open.blobs(servers.blobsUrl)
  if (isStack(dataDir))
    throw new StartError('Its object store does not run. Start the stack first: make stack')
  return blobsOf(dataDir)
}
