import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { isFree } from '../../embedded/ports.ts'

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
}

export type Process = Omit<NativeServer, 'url' | 'port'>

const STOP_WITHIN_MS = 20_000
/** Of a process that goes on without getting ready; one that exits has failed at once. */
const READY_WITHIN_MS = 120_000
const POLL_MS = 30
/** Of one request of a health check: one that is not answered is asked again. */
export const ANSWER_WITHIN_MS = 10_000

/** Servers of this process, killed when it exits. */
const ownServers = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of ownServers) child.kill('SIGKILL')
})

/** Starts a program and waits until it is healthy. Errors: one with the last lines of its log, when it exits before. */
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
  const { pid } = child
  if (pid === undefined) throw new Error(`${name} did not start: ${program.command} cannot be run`)
  ownServers.add(child)
  void ended.then(() => ownServers.delete(child))
  await recordProcess(dir, pid)

  const end = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    child.kill('SIGCONT')
    child.kill(signal)
    const late = setTimeout(() => void child.kill('SIGKILL'), STOP_WITHIN_MS)
    await ended
    clearTimeout(late)
    await rm(recordOf(dir, pid), { force: true })
  }

  const problem = await whyNotReady(pid, program.healthy)
  if (problem !== null) {
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

/** Waits until the process is healthy: null, or the last problem once it has exited. What answers at its port after that is another one. */
async function whyNotReady(pid: number, healthy: Program['healthy']): Promise<unknown> {
  const deadline = Date.now() + READY_WITHIN_MS
  for (;;) {
    const problem = await healthy().then(
      () => null,
      (error: unknown) => error,
    )
    if (startOf(pid) === '') return problem ?? new Error('it has exited')
    if (problem === null || Date.now() > deadline) return problem
    await delay(POLL_MS)
  }
}

/** Below the ephemeral ports, which an outgoing connection could take before the server does. */
const PORTS = { from: 20_000, to: 32_000 }
/** A product takes the ports after its own for its stand-ins. */
const APART = 8

/** A free port that no process was given by this function, while the process runs. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.from / APART, PORTS.to / APART) * APART
    if ((await isFree(port, '127.0.0.1')) && (await reserve(port))) return port
  }
}

/** Reserves a TCP port among all processes, by its UDP port, which the system gives to one process until that ends. */
export async function reserve(port: number): Promise<boolean> {
  const lock = createSocket('udp4').unref()
  try {
    await once(lock.bind({ port, address: '127.0.0.1', exclusive: true }), 'listening')
    return true
  } catch (error) {
    lock.close()
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    return false
  }
}

/** Rejects when the address is not answered with success. */
export async function answersOk(url: string): Promise<void> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) })
  await answer.body?.cancel()
  if (!answer.ok) throw new Error(`it answers ${answer.status}`)
}

/** Rejects when nothing listens there. */
export async function acceptsConnections(port: number): Promise<void> {
  const socket = createConnection({ port, host: '127.0.0.1' })
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) })
  } finally {
    socket.destroy()
  }
}

const KEPT = /^(PATH|HOME|TMPDIR|LANG|TZ|NODE_COMPILE_CACHE|OTEL_\w+)$/
const inheritedEnv = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (KEPT.test(name) && value ? [[name, value]] : [])),
  )

/** A file for each process, so that removing the one of a process that has exited never removes that of its successor. */
const recordOf = (dir: string, pid: number): string => join(dir, `server.${pid}.pid`)

/** Records the process that runs in this folder by its id and start time. The file appears whole. */
async function recordProcess(dir: string, pid: number): Promise<void> {
  const unfinished = `${recordOf(dir, pid)}.new`
  await writeFile(unfinished, startOf(pid))
  await rename(unfinished, recordOf(dir, pid))
}

const recordedIn = async (dir: string): Promise<number[]> =>
  (await readdir(dir).catch(() => [])).flatMap((name) => {
    const pid = Number(/^server\.(\d+)\.pid$/.exec(name)?.[1])
    return pid > 1 ? [pid] : []
  })

/** Whether the recorded process still runs. The start time is compared, since its id may be reused. */
async function stillRuns(dir: string, pid: number): Promise<boolean> {
  const start = startOf(pid)
  return start !== '' && start === (await readFile(recordOf(dir, pid), 'utf8').catch(() => ''))
}

/** Stops processes that a killed parent left running in this folder: SIGTERM, later SIGKILL. One that is started meanwhile goes on. */
export async function stopLeftOver(dir: string): Promise<void> {
  for (const pid of await recordedIn(dir)) {
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      const deadline = Date.now() + STOP_WITHIN_MS
      if (!(await stillRuns(dir, pid))) break
      for (const one of [signal, 'SIGCONT'] as const) signalIfThere(pid, one)
      while ((await stillRuns(dir, pid)) && Date.now() < deadline) await delay(POLL_MS)
    }
    if (!(await stillRuns(dir, pid))) await rm(recordOf(dir, pid), { force: true })
  }
}

/** Sends a signal to one process. Errors: there is none (0 would be the process group of the caller), or it has exited. */
export function sendSignal(pid: number | null | undefined, signal: NodeJS.Signals): void {
  if (!pid || pid < 2) throw new Error(`no process to send ${signal} to`)
  process.kill(pid, signal)
}

function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    sendSignal(pid, signal)
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
