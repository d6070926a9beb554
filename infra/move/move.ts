import type { Logger } from '@prelude/platform'
import { connectAsOwner, queryOn, systemClock, within } from '@prelude/platform'
import { contentTypeOf, deepCheck, type BlobStore } from '@prelude/storage'
import type pg from 'pg'
import { checkInvariants } from '../invariants/check.ts'
import { StartError } from '../embedded/start-error.ts'
import { SOURCES } from '../invariants/events.ts'
import { SERVICE_SCHEMAS } from '../prepare/schemas.ts'
import { copyBlobs, type Earlier } from './copy-blobs.ts'
import { assertCopyable, copyTables } from './copy-tables.ts'
import { type Bus, setCursors } from './set-cursors.ts'
import { migrate } from '@prelude/platform/migrate'

/** Where all data lies: the database and the object store. */
export interface Servers {
  /** The owner of its database; to read from, a role that may read all tables is enough. */
  readonly adminUrl: string
  readonly blobs: BlobStore
}

export interface Moved {
  /** What is wrong with the data, in the source too: broken invariants and objects. */
  readonly findings: readonly string[]
  /** Tables and columns of a later version than this one, which were not copied. */
  readonly leftOut: readonly string[]
  readonly rows: number
  readonly objects: number
  /** That forwarders will bring to the broker. */
  readonly eventsToSend: number
}

/** Audio format of each recorded path. */
type Formats = ReadonlyMap<string, string>

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

interface CopyOptions {
  /** The source may be at work meanwhile. */
  readonly ofRunning: boolean
  /** Nobody is written to about what lies before the copy, since an older copy cannot know what was written after it. */
  readonly quietly: boolean
  readonly bus: Bus | null
  readonly earlier?: Earlier
  /** When the source was as it is, for what must be done within a time. Default: now. */
  readonly at?: number
  /** Default: any time. */
  readonly withinMs?: number
}

/**
 * One consistent picture of the source, which has at least the migrations of the target. That it equals the source is certain
 * when this resolves; what is wrong with both is in `findings`.
 * The audio, which takes long, is copied before the snapshot of the rows is taken; after it only what came meanwhile.
 */
export const copy = (source: Servers, target: Servers, options: CopyOptions): Promise<Moved> =>
  options.withinMs === undefined
    ? copyAll(source, target, options)
    : within(
        options.withinMs,
        copyAll(source, target, options),
        () => new StartError('The copy did not end in time: the database or the object store hangs.'),
      )

async function copyAll(source: Servers, target: Servers, options: CopyOptions): Promise<Moved> {
  const [from, to] = [await connect(source.adminUrl), await connect(target.adminUrl)]
  const copied = new Set<string>()
  const earlier: Earlier = options.earlier ?? (async () => null)
  const copyAudio = (formats: Formats): Promise<number> =>
    copyBlobs(source.blobs, target.blobs, { formats, earlier, copied })
  try {
    if (!options.ofRunning) await assertIdle(from, 'here')
    await assertIdle(to, 'there')
    await assertCopyable(from, to, SCHEMAS)
    await copyAudio(await formatsOf(from))
    await from.query('begin transaction isolation level repeatable read read only')
    await to.query('begin')
    const tables = await copyTables(from, to, SCHEMAS)
    const formats = await formatsOf(from)
    await from.query('commit')
    if (options.quietly) await silence(to)
    const eventsToSend = options.bus === null ? 0 : await setCursors(to, options.bus)
    const objects = await copyAudio(formats)
    await to.query('commit')
    const broken = await checkInvariants(target.adminUrl, options.at ?? systemClock.now())
    let wrong = await wrongObjects(target, to)
    for (const { path } of wrong) await copyAgain(source, target, path, formats)
    if (wrong.length > 0) wrong = await wrongObjects(target, to)
    const findings = [
      ...broken.flatMap(({ name, breaches }) => (breaches > 0 ? [`${name}: ${breaches}`] : [])),
      ...wrong.map(({ path, problem }) => `${path}: ${problem}`),
    ]
    return { ...tables, objects, eventsToSend, findings }
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

/**
 * Runs `work` on a copy of a database, in the same server, that has every migration of this version; the database itself stays
 * as it is. `password`: of the roles of services there. Errors: StartError while a service runs there.
 */
export async function onMigratedCopy<T>(
  adminUrl: string,
  { password, logger }: { password: string; logger: Logger },
  work: (copyUrl: string) => Promise<T>,
): Promise<T> {
  const copyUrl = Object.assign(new URL(adminUrl), { pathname: '/migrated' }).href
  const client = await connect(adminUrl)
  const drop = (): Promise<unknown> => client.query('drop database if exists migrated with (force)')
  try {
    await assertIdle(client, 'here')
    await drop() // what a killed restore has left
    await client.query(`create database migrated template ${client.escapeIdentifier(client.database ?? '')}`)
    for (const spec of SERVICE_SCHEMAS) await migrate(copyUrl, spec, password, logger)
    return await work(copyUrl)
  } finally {
    await drop()
    await client.end()
  }
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

async function formatsOf(client: pg.Client): Promise<Formats> {
  const { rows } = await client.query<{ path: string; format: string }>(
    `select path, format from storage.audio
     union all select path, format from storage.draft where path is not null`,
  )
  return new Map(rows.map(({ path, format }) => [path, format]))
}

/** Those that are not as they were placed. */
async function wrongObjects(target: Servers, client: pg.Client) {
  await client.query('set search_path to storage')
  return Array.fromAsync(deepCheck(queryOn(client), target.blobs))
}

/** From the source itself: an earlier copy of it may be damaged. */
async function copyAgain(source: Servers, target: Servers, path: string, formats: Formats): Promise<void> {
  const found = await source.blobs.head(path)
  const bytes = found && (await source.blobs.get(path))
  if (!bytes) return
  const { sizeBytes } = found
  await target.blobs.put(path, bytes, { sizeBytes, contentType: contentTypeOf(formats.get(path)) })
}
