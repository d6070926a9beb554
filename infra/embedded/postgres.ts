import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { open, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '@prelude/platform'
import { lockInstance } from './instance-lock.ts'
import { type ServerUser, postgresBinaries } from './postgres-binaries.ts'
import { admitSocket, initCluster, serverEnv, serverUser, setPassword, view } from './postgres-cluster.ts'
import { stopOrphan, terminate } from './postgres-process.ts'
import { canHaveSocket, overSocket } from './postgres-socket.ts'
import { fileError, StartError } from './start-error.ts'

export interface PostgresServer {
  /** The superuser's address of the database `prelude`, for anybody on this machine. */
  readonly adminUrl: string
  /** The same for this process: over the server's Unix socket, which costs less than TCP, where it has one. */
  readonly localUrl: string
  readonly port: number
  readonly pid: number
  /** Resolves when the server process is gone, asked to or not. */
  readonly exited: Promise<void>
  /** Fast shutdown, within 12 s; every connection is cut. May be called again. */
  stop(): Promise<void>
}

export interface PostgresOptions {
  /** Holds the cluster, its password (0600), port and log; made when missing. */
  readonly dataDir: string
  readonly logger?: Pick<Logger, 'info'> | undefined
  /** Fixed; without it the port of the last start is used again, or another free one. */
  readonly port?: number | undefined
  /** Without it there is a Unix socket where folder and file system allow one; true refuses to start without. */
  readonly socket?: boolean | undefined
  /** False gives up safety in a crash for speed: for tests only. */
  readonly durable?: boolean | undefined
}

/** What the server is told wherever we run it, in containers too. */
export const POSTGRES_SETTINGS: Readonly<Record<string, string>> = {
  max_connections: '200',
  shared_buffers: '256MB',
  max_wal_size: '2GB', // a crowd writes 15 MB a second, and a checkpoint every 20 s holds up everybody's commits
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  // A statement or an error's detail may quote what people wrote.
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
}

/** Gives up safety in a crash for speed. */
export const NOT_DURABLE: Readonly<Record<string, string>> = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
}

/**
 * Runs PostgreSQL on 127.0.0.1 and a Unix socket as a child of this process, on a cluster made at the first start. A
 * server that a killed process left behind on the same folder is stopped first.
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
      const adminUrl = `postgres://postgres:${password}@127.0.0.1:${port}/prelude`
      const localUrl = socket ? overSocket(adminUrl, cluster) : adminUrl
      return { adminUrl, localUrl, port, pid: child.pid ?? 0, exited, stop: () => stop(child, exited) }
    }
    await stop(child, exited)
    if (socket && options.socket === undefined && NO_SOCKET.test(failure)) socket = false
    else if (attempt === 5 || !isPassing(failure, options.port)) throw explain(failure, dataDir, port)
    else await delay(300)
  }
}

/** Cluster and password; an interrupted first start leaves nothing that counts. Returns the password. */
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
    // Ctrl-C goes to the whole group of the terminal; the database must outlive those who still write.
    detached: true,
  })
}

interface Log {
  readonly fd: number
  /** Where this start's lines begin. */
  readonly from: number
  readonly path: string
}

const MAX_LOG_BYTES = 5 * 1024 * 1024

async function openLog(dataDir: string): Promise<Log> {
  const path = join(dataDir, 'postgres.log')
  const size = (await stat(path).catch(() => null))?.size ?? 0
  if (size > MAX_LOG_BYTES) await rename(path, `${path}.1`)
  return { fd: openSync(path, 'a', 0o600), from: size > MAX_LOG_BYTES ? 0 : size, path }
}

async function readLog(log: Log): Promise<string> {
  await using file = await open(log.path, 'r')
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(64 * 1024), position: log.from })
  return buffer.toString('utf8', 0, bytesRead)
}

/** Recovery after a crash replays at most `max_wal_size`. */
const READY_TIMEOUT_MS = 120_000

/** Null when it accepts connections, else what it said on its way out. */
async function ready(child: ChildProcess, cluster: string, log: Log): Promise<string | null> {
  let failed: Error | undefined
  child.once('error', (error) => (failed = error))
  const deadline = Date.now() + READY_TIMEOUT_MS
  while (Date.now() < deadline) {
    if (failed) return failed.message
    if (child.exitCode !== null || child.signalCode !== null) return readLog(log)
    // The server writes its id into the first line and its state into the eighth.
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
  return (kept > 0 && kept < 65_536 && (await freePort(kept))) || (await freePort(0)) || 0
}

/** The port when it is free, with 0 any free one; undefined when taken. */
async function freePort(port: number): Promise<number | undefined> {
  const server = createServer()
  try {
    await once(server.listen({ port, host: '127.0.0.1', exclusive: true }), 'listening')
    const address = server.address()
    return typeof address === 'object' ? address?.port : undefined
  } catch {
    return undefined
  } finally {
    server.close()
  }
}

/** Not every file system knows sockets. */
const NO_SOCKET = /could not create any Unix-domain sockets/
const TAKEN = /could not bind IPv4 address|could not create any TCP\/IP sockets/
/** The backends of a killed server go within a moment of noticing. */
const STILL_ENDING = /pre-existing shared memory block/

const isPassing = (said: string, fixedPort: number | undefined): boolean =>
  STILL_ENDING.test(said) || (TAKEN.test(said) && fixedPort === undefined)

function explain(said: string, dataDir: string, port: number): StartError {
  if (TAKEN.test(said)) return new StartError(`Port ${port} is taken by another program.`)
  if (/No space left on device/.test(said))
    return new StartError(`No space is left on the disk that holds ${dataDir}.`)
  if (/incompatible with server/.test(said))
    return new StartError(`The database in ${dataDir} was made by another version of PostgreSQL.`)
  const reason = /(?:FATAL|PANIC|ERROR): +(.*)/.exec(said)?.[1] ?? said.trim().split('\n').at(-1) ?? ''
  return new StartError(`The database in ${dataDir} does not start: ${reason} (see postgres.log there).`)
}
