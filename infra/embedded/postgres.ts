import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { closeSync } from 'node:fs'
import { readFile, rename, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '@prelude/platform'
import { lockInstance } from './instance-lock.ts'
import { firstFree } from './ports.ts'
import { type ServerUser, postgresBinaries } from './postgres-binaries.ts'
import { admitSocket, initCluster, serverEnv, serverUser, setPassword, view } from './postgres-cluster.ts'
import { openLog, type PostgresLog, readLog, rotateEveryDay } from './postgres-log.ts'
import { stopOrphan, terminate } from './postgres-process.ts'
import { canHaveSocket, overSocket } from './postgres-socket.ts'
import { fileError, StartError } from './start-error.ts'

export interface PostgresServer {
  /** The superuser's URL of the database `prelude` over TCP. */
  readonly adminUrl: string
  /** The same over the server's Unix socket, which costs less than TCP, where it has one. */
  readonly localUrl: string
  readonly port: number
  readonly pid: number
  /** Resolves when the server process has exited, for any reason. */
  readonly exited: Promise<void>
  /** Fast shutdown within 12 s; closes every connection. May be called again. */
  stop(): Promise<void>
}

export interface PostgresOptions {
  /** Holds the cluster, its password (0600), port and log; made when missing. */
  readonly dataDir: string
  readonly logger?: Pick<Logger, 'info'> | undefined
  /** Fixed port; without it the port of the last start is used again, or another free one. */
  readonly port?: number | undefined
  /** Default: a Unix socket where folder and file system allow one; true: start only with one. */
  readonly socket?: boolean | undefined
  /** False trades safety in a crash for speed: for tests only. */
  readonly durable?: boolean | undefined
}

/** PostgreSQL's settings in every shape, in containers too. */
export const POSTGRES_SETTINGS: Readonly<Record<string, string>> = {
  max_connections: '200',
  shared_buffers: '256MB',
  autovacuum_naptime: '15s', // a young table has statistics before statements keep to plans made without them
  max_wal_size: '2GB', // a burst writes 15 MB a second, and a checkpoint every 20 s would delay commits
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  // statements and error details may quote texts of people
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
}

/** Settings that trade safety in a crash for speed. */
export const NOT_DURABLE: Readonly<Record<string, string>> = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
}

/**
 * Runs PostgreSQL on 127.0.0.1 and a Unix socket as a child of this process, on a cluster made at the first start. Stops a
 * server that a killed process left running on the same folder first.
 * @throws StartError with one sentence: the folder cannot be written, is in use or full, the port is taken
 */
export async function startPostgres(options: PostgresOptions): Promise<PostgresServer> {
  const dataDir = resolve(options.dataDir)
  const lock = lockPostgres(dataDir)
  try {
    const server = await start(dataDir, options)
    void server.exited.then(() => lock.release())
    return server
  } catch (error) {
    lock.release()
    throw fileError(error, dataDir)
  }
}

/** Held while a server of `startPostgres` runs on the folder. */
const lockPostgres = (dataDir: string): { release(): void } =>
  lockInstance(dataDir, { name: 'server', what: 'A database' })

async function start(dataDir: string, options: PostgresOptions): Promise<PostgresServer> {
  const cluster = join(dataDir, 'cluster')
  const user = await serverUser(cluster)
  const native = await postgresBinaries(user)
  await stopOrphan(cluster)
  const durable = options.durable !== false
  const password = await establish({ dataDir, cluster, native, user, durable })
  await admitSocket(cluster, user)
  let socket = options.socket !== false
  for (let attempt = 1; ; attempt++) {
    const port = await choosePort(dataDir, options.port)
    const log = await openLog(dataDir)
    socket &&= canHaveSocket(cluster, port)
    const child = run({ native, cluster, user, port, socket, durable, log: log.fd })
    closeSync(log.fd)
    const exited = once(child, 'close').then(() => undefined)
    const failure = await ready(child, cluster, log)
    if (failure === null) {
      await writeFile(join(dataDir, 'port'), `${port}\n`)
      options.logger?.info({ port }, 'database ready')
      rotateEveryDay(dataDir, exited)
      const adminUrl = `postgres://postgres:${password}@127.0.0.1:${port}/prelude`
      const localUrl = socket ? overSocket(adminUrl, cluster) : adminUrl
      return { adminUrl, localUrl, port, pid: child.pid ?? 0, exited, stop: () => stop(child, exited) }
    }
    await stop(child, exited)
    if (socket && options.socket === undefined && NO_SOCKET.test(failure)) socket = false
    else if (attempt === 5 || !isTransient(failure, options.port)) throw explain(failure, dataDir, port)
    else await delay(300)
  }
}

/** Creates cluster and password at the first start, which may be interrupted and repeated. Returns the password. */
async function establish(at: {
  dataDir: string
  cluster: string
  native: string
  user: ServerUser | undefined
  durable: boolean
}): Promise<string> {
  const passwordFile = join(at.dataDir, 'password')
  const kept = await readFile(passwordFile, 'utf8').catch(() => '')
  const exists = await stat(join(at.cluster, 'PG_VERSION')).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false
      throw error
    },
  )
  if (exists && kept !== '') return kept.trim()
  const password = randomBytes(24).toString('base64url')
  if (exists) await setPassword({ ...at, password })
  else await initCluster({ ...at, password })
  await writeFile(`${passwordFile}.new`, `${password}\n`, { mode: 0o600 })
  await rename(`${passwordFile}.new`, passwordFile)
  return password
}

function run(at: {
  native: string
  cluster: string
  user: ServerUser | undefined
  port: number
  socket: boolean
  durable: boolean
  log: number
}): ChildProcess {
  const settings = {
    ...POSTGRES_SETTINGS,
    ...(at.durable ? {} : NOT_DURABLE),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: at.socket ? '.' : '', // the server works in its folder, so its own path is short
    port: String(at.port),
  }
  const folder = view(at.cluster, at.user)
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  return spawn(join(at.native, 'bin', 'postgres'), ['-D', folder.path, ...args], {
    ...at.user,
    cwd: folder.cwd,
    env: serverEnv(),
    stdio: ['ignore', at.log, at.log],
    // Ctrl-C signals the whole process group of the terminal; the database must outlive the services that still write
    detached: true,
  })
}

/** Recovery after a crash replays at most `max_wal_size`. */
const READY_TIMEOUT_MS = 120_000

/** Null when it accepts connections, else its last output. */
async function ready(child: ChildProcess, cluster: string, log: PostgresLog): Promise<string | null> {
  let failed: Error | undefined
  child.once('error', (error) => (failed = error))
  const deadline = Date.now() + READY_TIMEOUT_MS
  while (Date.now() < deadline) {
    if (failed) return failed.message
    if (child.exitCode !== null || child.signalCode !== null) return readLog(log)
    // the server writes its id into the first line and its state into the eighth
    const lines = (await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')
    if (lines[0] === String(child.pid) && lines[7]?.trim() === 'ready') return null
    await delay(15)
  }
  return 'FATAL:  it was not ready in time'
}

async function stop(child: ChildProcess, exited: Promise<void>): Promise<void> {
  if (child.pid === undefined) return
  const running = () => child.exitCode === null && child.signalCode === null
  await terminate(child.pid, async () => running())
  await exited
}

async function choosePort(dataDir: string, fixed: number | undefined): Promise<number> {
  if (fixed !== undefined) return fixed
  const kept = Number(await readFile(join(dataDir, 'port'), 'utf8').catch(() => ''))
  return firstFree(kept > 0 ? [kept] : [])
}

/** On a file system without sockets. */
const NO_SOCKET = /could not create any Unix-domain sockets/
const TAKEN = /could not bind IPv4 address|could not create any TCP\/IP sockets/
/** Backends of a killed server exit soon after they notice. */
const STILL_ENDING = /pre-existing shared memory block/

const isTransient = (output: string, fixedPort: number | undefined): boolean =>
  STILL_ENDING.test(output) || (TAKEN.test(output) && fixedPort === undefined)

function explain(output: string, dataDir: string, port: number): StartError {
  if (TAKEN.test(output)) return new StartError(`Port ${port} is taken by another program.`)
  if (/No space left on device/.test(output))
    return new StartError(`No space is left on the disk that holds ${dataDir}.`)
  if (/incompatible with server/.test(output))
    return new StartError(`The database in ${dataDir} was made by another version of PostgreSQL.`)
  const reason = /(?:FATAL|PANIC|ERROR): +(.*)/.exec(output)?.[1] ?? output.trim().split('\n').at(-1) ?? ''
  return new StartError(`The database in ${dataDir} does not start: ${reason} (see postgres.log there).`)
}
