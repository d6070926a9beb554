import { execFileSync, spawn } from 'node:child_process'
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

interface Program {
  readonly name: string
  readonly dir: string
  readonly command: string
  /** Must name `dir`: by that a left-over process is recognised. */
  readonly args: readonly string[]
  readonly env?: Record<string, string>
  /** Rejects while it is not ready. */
  readonly healthy: () => Promise<void>
  readonly readyWithinMs: number
}

type Process = Omit<NativeServer, 'url' | 'port'>

const STOP_WITHIN_MS = 10_000
const PATIENCE_MS = 30

/** Starts a program, waits until it is healthy. Errors: one that ends with the last lines of its log. */
export async function startProcess(program: Program): Promise<Process> {
  const { name, dir } = program
  await mkdir(dir, { recursive: true })
  await stopLeftOver(dir)
  const logFile = join(dir, `${name}.log`)
  const log = openSync(logFile, 'a')
  const child = spawn(program.command, program.args, {
    cwd: dir,
    env: { ...process.env, ...program.env },
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve())
    child.once('close', () => resolve())
  })
  if (child.pid !== undefined) await writeFile(pidFile(dir), String(child.pid))
  const killNow = (): void => void child.kill('SIGKILL')
  process.once('exit', killNow) // a test process that ends early takes its servers along
  const isRunning = (): boolean =>
    child.pid !== undefined && child.exitCode === null && child.signalCode === null

  const end = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    child.kill('SIGCONT')
    child.kill(signal)
    const late = setTimeout(killNow, STOP_WITHIN_MS)
    await ended
    clearTimeout(late)
    process.off('exit', killNow)
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
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
  }
}

/** A port that nobody listens on now. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  await new Promise((resolve) => {
    server.close(resolve)
  })
  if (typeof address !== 'object' || address === null) throw new Error('no free port')
  return address.port
}

const pidFile = (dir: string): string => join(dir, 'server.pid')

/** What a killed process left running in this folder. */
export async function stopLeftOver(dir: string): Promise<void> {
  const pid = Number(await readFile(pidFile(dir), 'utf8').catch(() => ''))
  const deadline = Date.now() + STOP_WITHIN_MS
  for (
    let signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM';
    pid > 1 && isServerOf(pid, dir);
    await delay(PATIENCE_MS)
  ) {
    if (Date.now() > deadline) signal = 'SIGKILL'
    process.kill(pid, signal)
  }
  await rm(pidFile(dir), { force: true })
}

function isServerOf(pid: number, dir: string): boolean {
  try {
    return execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).includes(
      dir,
    )
  } catch {
    return false // no such process
  }
}
