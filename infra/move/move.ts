import type { BlobStore, Logger } from '@prelude/platform'
import { connectAsOwner, migrate, systemClock } from '@prelude/platform'
import { deepCheck } from '@prelude/storage'
import type pg from 'pg'
import { checkInvariants } from '../invariants/check.ts'
import { StartError } from '../embedded/start-error.ts'
import { SOURCES } from '../invariants/events.ts'
import { SERVICE_SCHEMAS } from '../prepare/schemas.ts'
import { copyBlobs, type Earlier } from './copy-blobs.ts'
import { assertCopyable, copyTables } from './copy-tables.ts'
import { type Bus, setCursors } from './set-cursors.ts'

/** Where all data lies: the database and the object store. */
export interface Servers {
  /** The owner of its database; to read from, a role that may read all tables is enough. */
  readonly adminUrl: string
  readonly blobs: BlobStore
}

export interface Moved {
  readonly rows: number
  readonly objects: number
  /** That forwarders will bring to the broker. */
  readonly eventsToSend: number
}

const SCHEMAS = SERVICE_SCHEMAS.map(({ schema }) => schema)

/**
 * Copies all that the services own: rows, numbers and objects; the source stays as it is. Nothing of either may run. What
 * lies in the buses and key-value stores is not copied: sessions end, and events that somebody has yet to see are sent
 * again. The target was prepared (schemas, roles, topics) and is unused. Errors: StartError, and then the target has no
 * row of it.
 */
export async function move(
  source: Servers,
  target: Servers,
  { password, bus, logger }: { password: string; bus: Bus; logger: Logger },
): Promise<Moved> {
  for (const spec of SERVICE_SCHEMAS) await migrate(source.adminUrl, spec, password, logger)
  return copy(source, target, { ofRunning: false, quietly: false, bus })
}

/**
 * One consistent picture of the source, which must be of this version. `ofRunning`: it may be at work meanwhile; an object
 * that goes in that very moment is missed, and the copy says so. `quietly`: nobody is written to about what lies before
 * the copy, since an older copy cannot know what was written after it.
 * The audio, which takes long, is copied before the snapshot of the rows is taken; after it only what came meanwhile.
 */
export async function copy(
  source: Servers,
  target: Servers,
  options: { ofRunning: boolean; quietly: boolean; bus: Bus | null; earlier?: Earlier },
): Promise<Moved> {
  const [from, to] = [await connect(source.adminUrl), await connect(target.adminUrl)]
  const copied = new Set<string>()
  const earlier: Earlier = options.earlier ?? (async () => null)
  const copyAudio = (formats: ReadonlyMap<string, string>): Promise<number> =>
    copyBlobs(source.blobs, target.blobs, { formats, earlier, copied })
  try {
    if (!options.ofRunning) await assertIdle(from, 'here')
    await assertIdle(to, 'there')
    await assertCopyable(from, to, SCHEMAS)
    await copyAudio(await formatsOf(from))
    await from.query('begin transaction isolation level repeatable read read only')
    await to.query('begin')
    const counts = await copyTables(from, to, SCHEMAS)
    const formats = await formatsOf(from)
    await from.query('commit')
    if (options.quietly) await silence(to)
    const eventsToSend = options.bus === null ? 0 : await setCursors(to, options.bus)
    const objects = await copyAudio(formats)
    await to.query('commit')
    await check(target, to)
    return { rows: [...counts.values()].reduce((sum, count) => sum + count, 0), objects, eventsToSend }
  } catch (error) {
    throw isLostConnection(error)
      ? new StartError(
          `A connection was lost (${(error as Error).message}): no rows were copied. Run it again.`,
          {
            cause: error,
          },
        )
      : error
  } finally {
    await Promise.all([from.end(), to.end()])
  }
}

/** The server ended or lost it. */
const isLostConnection = (error: unknown): boolean =>
  error instanceof Error &&
  (/^(08...|57P0.|ECONNRESET|EPIPE|ETIMEDOUT)$/.test((error as NodeJS.ErrnoException).code ?? '') ||
    /Connection terminated|connection error/.test(error.message))

/**
 * Fits a database that was recovered to an earlier time to empty topics: its cursors, and as after a copy nobody is written to
 * about what lies before. Answers how many events forwarders will bring to the broker. Errors: StartError while a service runs.
 */
export async function fitToRecovered(adminUrl: string, bus: Bus): Promise<number> {
  const client = await connect(adminUrl)
  try {
    await assertIdle(client, 'there')
    await client.query('begin')
    await silence(client)
    const eventsToSend = await setCursors(client, bus)
    await client.query('commit')
    return eventsToSend
  } finally {
    await client.end()
  }
}

/** Mails that wait count as given up, for the operator to send again; events before the copy cause no mail any more. */
async function silence(client: pg.Client): Promise<void> {
  await client.query(
    `update notifier.message set state = 'failed', last_error = 'older than a restore' where state in ('pending', 'sending')`,
  )
  await client.query('delete from notifier.push_message')
  // events of the gateway cause no mail; they end the mails of closed accounts
  for (const source of (SOURCES['notifier'] ?? []).filter((source) => source !== 'gateway'))
    await client.query(
      `with old as (
         delete from notifier.cursor where topic = 'prelude.${source}' returning partitions
       ), log as (
         select coalesce(max(position), 0) as position,
           count(*) + (select removed from ${source}.event_removal) as events from ${source}.event
       )
       insert into notifier.cursor (topic, partition, partitions, position, taken)
       select 'prelude.${source}', number, partitions, position, case number when 0 then events else 0 end
       from log, (select coalesce(max(partitions), 1) as partitions from old) topic, generate_series(0, partitions - 1) number`,
    )
}

async function connect(adminUrl: string): Promise<pg.Client> {
  const client = await connectAsOwner(adminUrl)
  await client.query(`set timezone = 'UTC'`)
  // between two statements audio is copied
  await client.query('set idle_in_transaction_session_timeout = 0')
  return client
}

/** Every service names itself to the database. */
async function assertIdle(client: pg.Client, where: string): Promise<void> {
  const { rows } = await client.query<{ service: string }>(
    `select application_name as service from pg_stat_activity
     where datname = current_database() and application_name like 'prelude-%' limit 1`,
  )
  if (rows[0]) throw new StartError(`${rows[0].service} still runs ${where}; stop it first.`)
}

async function formatsOf(client: pg.Client): Promise<Map<string, string>> {
  const { rows } = await client.query<{ path: string; format: string }>(
    'select path, format from storage.audio',
  )
  return new Map(rows.map(({ path, format }) => [path, format]))
}

/** What arrived is whole, and its objects are the ones that were placed. */
async function check(target: Servers, client: pg.Client): Promise<void> {
  const broken = (await checkInvariants(target.adminUrl, systemClock.now())).filter(
    ({ breaches }) => breaches > 0,
  )
  await client.query('set search_path to storage')
  const query = async <R>(sql: string, params: readonly unknown[] = []) => {
    const { rows, rowCount } = await client.query(sql, [...params])
    return { rows: rows as R[], rowCount: rowCount ?? 0 }
  }
  const wrong = await Array.fromAsync(deepCheck({ query }, target.blobs))
  const problems = [
    ...broken.map(({ name }) => name),
    ...wrong.map(({ path, problem }) => `${path}: ${problem}`),
  ]
  if (problems.length > 0) throw new StartError(`It was copied, but: ${problems.join('; ')}.`)
}
