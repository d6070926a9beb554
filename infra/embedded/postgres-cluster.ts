import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chown, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { ServerUser } from './postgres-binaries.ts'
import { StartError } from './start-error.ts'

interface Cluster {
  readonly cluster: string
  readonly native: string
  readonly user: ServerUser | undefined
  readonly password: string
}

/**
 * The user of the server. As root: the owner of the cluster, or for a new one `postgres` or `nobody`. Else undefined: this
 * process's own user.
 * @throws StartError when the cluster belongs to a user that this process cannot become
 */
export async function serverUser(cluster: string): Promise<ServerUser | undefined> {
  const own = process.getuid?.()
  const owner = await stat(cluster).catch(() => null)
  if (own !== 0) {
    if (own === undefined || owner === null || owner.uid === own) return undefined
    throw new StartError(
      `The database in ${cluster} belongs to another user (id ${owner.uid}); start as that user.`,
    )
  }
  if (owner !== null && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  const users = (await readFile('/etc/passwd', 'utf8').catch(() => ''))
    .split('\n')
    .map((line) => line.split(':'))
  for (const name of ['postgres', '_postgres', 'nobody']) {
    const [, , uid, gid] = users.find(([user]) => user === name) ?? []
    if (Number(uid) > 0) return { uid: Number(uid), gid: Number(gid) }
  }
  throw new StartError('PostgreSQL refuses to run as root, and there is neither a user postgres nor nobody.')
}

/**
 * Path and working directory by which the server reaches its folder. Another user may not be able to enter a parent folder
 * (/root, a home with 0700), whose permissions must stay; but a process that starts in a folder reaches it by
 * /proc/self/cwd.
 */
export function view(folder: string, user: ServerUser | undefined): { path: string; cwd: string } {
  const canEnter = user === undefined || process.platform !== 'linux'
  return { path: canEnter ? folder : '/proc/self/cwd', cwd: folder }
}

/** Environment of the server, without that of this process: it holds secrets, and PGDATA and others would change the server. */
export const serverEnv = (): Record<string, string> => ({ PATH: '/usr/bin:/bin', LC_ALL: 'C' })

/** Options of `initdb`: encoding and PostgreSQL's built-in locale, which sorts the same on every operating system and version. */
export const TEXT_RULES: readonly string[] = [
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
]

/** Creates the cluster in a temporary folder and renames it when it is complete, with password and database `prelude`. */
export async function initCluster(at: Cluster & { durable: boolean }): Promise<void> {
  const parent = dirname(at.cluster)
  for (const name of await readdir(parent)) {
    // unfinished ones only: the cluster itself is never removed
    if (name.startsWith('cluster.'))
      await rm(join(parent, name), { recursive: true, force: true, maxRetries: 3 })
  }
  const unfinished = `${at.cluster}.${randomBytes(4).toString('hex')}`
  await mkdir(unfinished, { mode: 0o700 })
  if (at.user) await chown(unfinished, at.user.uid, at.user.gid)
  const initdb = ['--username=postgres', '--auth=trust', '--no-instructions', ...TEXT_RULES]
  await tool({ ...at, cluster: unfinished }, 'initdb', at.durable ? initdb : [...initdb, '--no-sync'])
  await writeFile(join(unfinished, 'pg_hba.conf'), 'host all all 127.0.0.1/32 scram-sha-256\n')
  await singleUser({ ...at, cluster: unfinished }, ['create database prelude', alterPassword(at.password)])
  await rename(unfinished, at.cluster)
}

const LOCAL_RULE = 'local all all scram-sha-256'

/** Allows logins with a password by the socket: clusters of earlier versions allow TCP only. Other rules stay. */
export async function admitSocket(cluster: string, user: ServerUser | undefined): Promise<void> {
  const file = join(cluster, 'pg_hba.conf')
  const rules = await readFile(file, 'utf8')
  if (rules.split('\n').includes(LOCAL_RULE)) return
  await writeFile(`${file}.new`, `${rules.trimEnd()}\n${LOCAL_RULE}\n`, { mode: 0o600, flush: true })
  if (user) await chown(`${file}.new`, user.uid, user.gid)
  await rename(`${file}.new`, file)
}

/** Sets the password of a cluster whose password file was lost. Its server must not run. */
export const setPassword = (at: Cluster): Promise<void> => singleUser(at, [alterPassword(at.password)])

const alterPassword = (password: string): string => `alter role postgres password '${password}'`

/** Runs statements in single-user mode, which opens no port: nobody can connect before there is a password. */
const singleUser = (at: Cluster, statements: readonly string[]): Promise<void> =>
  tool(at, 'postgres', ['-c', 'exit_on_error=on', '-c', 'log_checkpoints=off'], statements.join('\n') + '\n')

async function tool(at: Cluster, name: 'initdb' | 'postgres', args: string[], input = ''): Promise<void> {
  const { path, cwd } = view(at.cluster, at.user)
  const mode = name === 'postgres' ? ['--single', '-D', path, ...args, 'postgres'] : ['-D', path, ...args]
  const child = spawn(join(at.native, 'bin', name), mode, { ...at.user, cwd, env: serverEnv() })
  child.stdout.resume()
  child.stdin.on('error', () => undefined) // it exited early: its exit code is checked below
  child.stdin.end(input)
  const [output, code] = await Promise.all([
    text(child.stderr),
    new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve)),
  ])
  if (code === 0) return
  if (output.includes('No space left on device'))
    throw new StartError(`No space is left on the disk that holds ${dirname(at.cluster)}.`)
  const reason = /(?:FATAL|PANIC|ERROR|error): +(.*)/.exec(output)?.[1] ?? `${name} ended with code ${code}`
  throw new StartError(`The database in ${dirname(at.cluster)} cannot be made: ${reason}.`)
}
