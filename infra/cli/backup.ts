import { readFile, statfs } from 'node:fs/promises'
import { createLogger, optional, readConfig, withOwnerConnection } from '@prelude/platform'
import { dirname, join, resolve } from 'node:path'
import { StartError } from '../embedded/start-error.ts'
import { withDatabase } from '../embedded/with-database.ts'
import { readServersToCopy } from '../move/remote-servers.ts'
import { earlierBackup } from '../move/earlier-backup.ts'
import { assertNoData, blobsOf, hasData, inNewFolder } from '../move/folder.ts'
import { copy, type Moved, type Servers } from '../move/move.ts'
import { markBackup, removeOlderBackups, removeUnfinished } from '../move/old-backups.ts'
import { command, dataFolder, say, sayFindings, worksOn } from './command.ts'

/** Less than a day, so that one that hangs does not keep the next from being taken. */
const ENDS_WITHIN_MS = 20 * 60 * 60 * 1_000

const settings = { image: optional('PRELUDE_IMAGE', 'the image that runs', String) }

/**
 * One consistent picture of everything, taken while the product runs or not, from
 * DATA_DIR or from the servers that DATABASE_ADMIN_URL (or AUDIT_DATABASE_URL) and BLOBS_URL name. The backup is a data folder
 * itself, with its secrets (0700): `--to`, or one named after the time in the folder `--in`. Audio that backups beside it hold is
 * linked from there instead of copied again. `--keep=DAYS` deletes what unfinished ones beside it have left, and, once it is
 * finished, those that were taken earlier than that many days before, but not the last one without findings.
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
      const mark = { takenAt, version: await version(), image: readConfig(settings, process.env).image }
      await markBackup(to, { ...mark, isFinished: false })
      const taken = await inNewFolder(to, { secretsFrom, logger }, (target) =>
        copy(source, target, {
          ofRunning: true,
          quietly: false,
          bus: null,
          earlier,
          withinMs: ENDS_WITHIN_MS,
        }),
      )
      const { findings } = taken
      await markBackup(to, { ...mark, isFinished: true, findings })
      const removed = keepDays === null ? [] : await removeOlderBackups(to, keepDays)
      if (removed.length > 0)
        say(`Deleted, since they are older than ${keepDays} days: ${removed.join(', ')}.`)
      // with the space that is free from now on
      await recordBackup(source.adminUrl, to, findings.length)
      return taken
    }
    if (servers === null && !hasData(dataDir))
      throw new StartError(`There is nothing to back up in ${dataDir}.`)
    const taken = servers
      ? await take(servers, null)
      : await withDatabase({ dataDir, adminUrl: undefined, worksOn }, (adminUrl) =>
          take({ adminUrl, blobs: blobsOf(dataDir) }, dataDir),
        )
    const { rows, objects } = taken
    say(
      `${rows} rows and ${objects} objects are in ${to}, compared and checked. It holds secrets: keep it as you keep them.`,
    )
    return sayFindings(taken)
  },
)

/** Errors: StartError. */
function daysOf(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new StartError(`KEEP is a number of days, not "${text}".`)
  return Number(text)
}

/** Of this checkout or image. */
async function version(): Promise<string> {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}

/** In the database that was backed up, for the notifier's metrics and alerts. */
async function recordBackup(adminUrl: string, folder: string, findings: number): Promise<void> {
  const { bavail, blocks, bsize } = await statfs(folder)
  await withOwnerConnection(adminUrl, (client) =>
    client.query(
      `insert into notifier.backup (kind, taken_at, findings, disk_free_bytes, disk_size_bytes) values ('all', $1, $2, $3, $4)
       on conflict (kind) do update set taken_at = excluded.taken_at, findings = excluded.findings,
         disk_free_bytes = excluded.disk_free_bytes, disk_size_bytes = excluded.disk_size_bytes`,
      [Date.now(), findings, bavail * bsize, blocks * bsize],
    ),
  )
}
