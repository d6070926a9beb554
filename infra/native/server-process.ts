import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { isFree } from '../embedded/ports.ts'

/** A server as a process of this machine, on loopback only. */
export interface NativeServer {
  readonly url: string
  readonly port: number
  readonly dir: string
  readonly pid: number
  /** Resolves when the process has exited, for any reason. */
  readonly ended: Promise<void>
  /** SIGTERM; its data stays in its folder for another start. */
  stop(): Promise<void>
  /** SIGKILL. */
  kill(): Promise<void>
  /** SIGSTOP: it keeps its connections and answers nothing, like a network that drops all packets. */
  freeze(): void
  thaw(): void
}

export interface NativeOptions {
  /** Folder of its data, log and process id; made if missing. */
  readonly dir: string
  /** Default: a free one. */
  readonly port?: number
}

export interface Program {
  readonly name: string
  readonly dir: string
  readonly command: string
  readonly args: readonly string[]
  /** Its whole environment, besides PATH, HOME and a few others: no setting of this process reaches it by accident. */
  readonly env?: Record<string, string>
  /** Working directory; default: `dir`. */
  readonly cwd?: string
  /** Rejects while it is not ready. */
  readonly healthy: () => Promise<void>
  readonly readyWithinMs: number
}

export type Process = Omit<NativeServer, 'url' | 'port'>

const STOP_WITHIN_MS = 20_000
const POLL_MS = 30

/** Servers of this process, killed when it exits. */
const ownServers = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of ownServers) child.kill('SIGKILL')
})

/** Starts a program and waits until it is healthy. Errors: one with the last lines of its log. */
export async function startProcess(program: Program): Promise<Process> {
  const { name, dir } = program
  await mkdir(dir, { recursive: true })
  await stopLeftOver(dir)
  const logFile = join(dir, `${name}.log`)
  const log = openSync(logFile, 'a')
  const child = spawn(program.command, program.args, {
    cwd: program.cwd ?? dir,
    env: { ...inheritedEnv(), ...program.env },
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
      await delay(POLL_MS)
      continue
    }
    await end('SIGKILL')
    const lines = (await readFile(logFile, 'utf8')).trim().split('\n').slice(-5).join('\n')
    throw new Error(`${name} did not start:\n${lines}`, { cause: problem })
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

/** Below the ephemeral ports, which an outgoing connection could take before the server does. */
const PORTS = { from: 20_000, to: 32_000 }
const givenOut = new Set<number>()

/** A free port that was not given out by this process before. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.from, PORTS.to)
    if (givenOut.has(port) || !(await isFree(port, '127.0.0.1'))) continue
    givenOut.add(port)
    return port
  }
}

/** Rejects when nothing listens there. */
export async function acceptsConnections(port: number): Promise<void> {
  const socket = createConnection({ port, host: '127.0.0.1' })
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(1_000) })
  } finally {
    socket.destroy()
  }
}

const KEPT = /^(PATH|HOME|TMPDIR|LANG|TZ|NODE_COMPILE_CACHE|OTEL_\w+)$/
const inheritedEnv = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (KEPT.test(name) && value ? [[name, value]] : [])),
  )

const pidFile = (dir: string): string => join(dir, 'server.pid')

/** Records the process that runs in this folder by its id and start time. The file is replaced atomically. */
export async function recordProcess(dir: string, pid: number): Promise<void> {
  const unfinished = `${pidFile(dir)}.new`
  await writeFile(unfinished, `${pid} ${startOf(pid)}\n`)
  await rename(unfinished, pidFile(dir))
}

/** The process that was started in this folder, if it still runs. The start time is compared, since its id may be reused. */
export async function runningIn(dir: string): Promise<number | null> {
  const [, id, start] = /^(\d+) (.+)$/m.exec(await readFile(pidFile(dir), 'utf8').catch(() => '')) ?? []
  const pid = Number(id)
  return pid > 1 && startOf(pid) === start ? pid : null
}

/** Stops the process that a killed parent left running in this folder: SIGTERM, after `withinMs` SIGKILL. */
export async function stopLeftOver(dir: string, withinMs = STOP_WITHIN_MS): Promise<void> {
  const pid = await runningIn(dir)
  // another process that is started there meanwhile must go on
  const isThere = async (): Promise<boolean> => pid !== null && (await runningIn(dir)) === pid
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const deadline = Date.now() + withinMs
    if (pid === null || !(await isThere())) break
    for (const one of [signal, 'SIGCONT'] as const) signalIfThere(pid, one)
    while ((await isThere()) && Date.now() < deadline) await delay(POLL_MS)
  }
  if ((await runningIn(dir)) === null) await rm(pidFile(dir), { force: true })
}

function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // it has exited meanwhile
  }
}

/** When a process started, to be compared; '' when there is none, or only a zombie. */
export function startOf(pid: number): string {
  // the start of `ps` is computed from the time of day, and may differ by a second from one call to the next
  if (process.platform === 'linux') return startOnLinux(pid)
  const { stdout } = spawnSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
  })
  const [, state = 'Z', start = ''] = /^(\S+)\s+(.*\S)\s*$/.exec(stdout) ?? []
  return state.startsWith('Z') ? '' : start
}

/** Clock ticks since the start of the machine. */
function startOnLinux(pid: number): string {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // after the name of the program, which may have spaces and brackets: the state, and as the twentieth the start
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' || fields[0] === 'X' ? '' : (fields[19] ?? '')
  } catch {
    return ''
  }
}
