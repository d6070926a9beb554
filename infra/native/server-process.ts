import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/** A server of its own on this machine, on loopback only. */
export interface NativeServer {
  readonly url: string
  readonly port: number
  readonly dir: string
  readonly pid: number
  /** Resolves when the process is gone, asked to or not. */
  readonly ended: Promise<void>
  /** Orderly; what it keeps stays in its folder, and another start there goes on with it. */
  stop(): Promise<void>
  /** As a loss of power: no goodbye to anybody. */
  kill(): Promise<void>
  /** It keeps its connections and answers nothing, as behind a network that drops all packets. */
  freeze(): void
  thaw(): void
}

export interface NativeOptions {
  /** Its data, log and process id; made if missing. */
  readonly dir: string
  /** A free one if not given. */
  readonly port?: number
}

export interface Program {
  readonly name: string
  readonly dir: string
  readonly command: string
  readonly args: readonly string[]
  /** All it is told, besides where programs and the home folder are: no setting of this process reaches it by chance. */
  readonly env?: Record<string, string>
  /** Where it runs, if not in `dir`. */
  readonly cwd?: string
  /** Rejects while it is not ready. */
  readonly healthy: () => Promise<void>
  readonly readyWithinMs: number
}

export type Process = Omit<NativeServer, 'url' | 'port'>

const STOP_WITHIN_MS = 20_000
const PATIENCE_MS = 30

/** A process that ends early takes its servers along. */
const ownServers = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of ownServers) child.kill('SIGKILL')
})

/** Starts a program, waits until it is healthy. Errors: one that ends with the last lines of its log. */
export async function startProcess(program: Program): Promise<Process> {
  const { name, dir } = program
  await mkdir(dir, { recursive: true })
  await stopLeftOver(dir)
  const logFile = join(dir, `${name}.log`)
  const log = openSync(logFile, 'a')
  const child = spawn(program.command, program.args, {
    cwd: program.cwd ?? dir,
    env: { ...surroundings(), ...program.env },
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve())
    child.once('close', () => resolve())
  })
  const { pid = 0 } = child
  if (pid > 0) await recordProcess(dir, pid)
  const killNow = (): void => void child.kill('SIGKILL')
  ownServers.add(child)
  void ended.then(() => ownServers.delete(child))
  const isRunning = (): boolean => pid > 0 && child.exitCode === null && child.signalCode === null

  const end = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    child.kill('SIGCONT')
    child.kill(signal)
    const late = setTimeout(killNow, STOP_WITHIN_MS)
    await ended
    clearTimeout(late)
    await rm(pidFile(dir), { force: true })
  }

  const deadline = Date.now() + program.readyWithinMs
  for (;;) {
    const problem = await program.healthy().then(
      () => null,
      (error: unknown) => error,
    )
    if (problem === null) break
    if (isRunning() && Date.now() < deadline) {
      await delay(PATIENCE_MS)
      continue
    }
    await end('SIGKILL')
    const said = (await readFile(logFile, 'utf8')).trim().split('\n').slice(-5).join('\n')
    throw new Error(`${name} did not start:\n${said}`, { cause: problem })
  }
  return {
    dir,
    pid,
    ended,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
  }
}

/** Below those that systems give to outgoing connections, which could take a port before its server does. */
const PORTS = { from: 20_000, to: 32_000 }
const givenOut = new Set<number>()

/** A port that nobody listens on now and that was not given out here before. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.from, PORTS.to)
    if (givenOut.has(port) || !(await isFree(port))) continue
    givenOut.add(port)
    return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    await once(server.listen({ port, host: '127.0.0.1', exclusive: true }), 'listening')
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}

const KEPT = /^(PATH|HOME|TMPDIR|LANG|TZ|OTEL_\w+)$/
const surroundings = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (KEPT.test(name) && value ? [[name, value]] : [])),
  )

const pidFile = (dir: string): string => join(dir, 'server.pid')

/** Remembers which process runs in this folder, by its id and when it started. */
export const recordProcess = (dir: string, pid: number): Promise<void> =>
  writeFile(pidFile(dir), `${pid} ${startOf(pid)}\n`)

/** The process that was started in this folder, if it still runs: its id may be another program's by now. */
export async function runningIn(dir: string): Promise<number | null> {
  const [, id, start] = /^(\d+) (.+)$/m.exec(await readFile(pidFile(dir), 'utf8').catch(() => '')) ?? []
  const pid = Number(id)
  return pid > 1 && startOf(pid) === start ? pid : null
}

/** Ends what a killed process left running in this folder; by force after `withinMs`. */
export async function stopLeftOver(dir: string, withinMs = STOP_WITHIN_MS): Promise<void> {
  const pid = await runningIn(dir)
  // another that is started there in the meantime is nothing left over
  const isThere = async (): Promise<boolean> => pid !== null && (await runningIn(dir)) === pid
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const deadline = Date.now() + withinMs
    if (pid === null || !(await isThere())) break
    for (const one of [signal, 'SIGCONT'] as const) signalIfThere(pid, one)
    while ((await isThere()) && Date.now() < deadline) await delay(PATIENCE_MS)
  }
  if ((await runningIn(dir)) === null) await rm(pidFile(dir), { force: true })
}

function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // it has gone since it was looked for
  }
}

/** When the process started; nothing when there is none, or only its exit code for a parent that does not ask. */
export function startOf(pid: number): string {
  const { stdout } = spawnSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
  })
  const [, state = 'Z', start = ''] = /^(\S+)\s+(.*\S)\s*$/.exec(stdout) ?? []
  return state.startsWith('Z') ? '' : start
}
