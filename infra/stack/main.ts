import { spawn } from 'node:child_process'
import { closeSync, existsSync, openSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { ConfigError } from '@prelude/platform'
import type { Endpoints } from '../embedded/endpoints.ts'
import { stopOrphan } from '../embedded/postgres-process.ts'
import { StartError } from '../embedded/start-error.ts'
import { recordProcess, runningIn, sendSignal, stopLeftOver } from '../native/server-process.ts'
import { containersProblem, show, updateContainers } from './compose.ts'
import { findServers } from './servers.ts'
import { readStackSettings, type StackSettings } from './settings.ts'

/** `make stack`, `make stack-update`, `make stack-down`, `make stack-status`: the product with every service a process of its own on real servers. */

const ROOT = resolve(import.meta.dirname, '../..')
const READY_WITHIN_MS = 180_000
const STOP_WITHIN_MS = 60_000
const RESTART_WITHIN_MS = 60_000

const COMMANDS = { up, update, down, status }
type Command = keyof typeof COMMANDS

try {
  const [name = ''] = process.argv.slice(2)
  if (!(name in COMMANDS)) throw new StartError(`Commands: ${Object.keys(COMMANDS).join(', ')}.`)
  process.exit((await COMMANDS[name as Command](readStackSettings(process.env))) ? 0 : 1)
} catch (error) {
  const expected = error instanceof StartError || error instanceof ConfigError
  process.stderr.write(`${expected ? error.message : String((error as Error).stack)}\n`)
  process.exit(1)
}

async function up(settings: StackSettings): Promise<boolean> {
  if (settings.shape !== 'native') {
    say('Looking for a container engine and its images…')
    const problem = containersProblem(ROOT)
    if (problem === null) {
      await mkdir(settings.dir, { recursive: true, mode: 0o700 })
      await writeFile(containersFlag(settings.dir), '')
      return show(ROOT, 'make', 'containers')
    }
    if (settings.shape === 'containers') throw new StartError(`Containers cannot run here: ${problem}.`)
    say(`Without containers (${problem}): the same servers as processes of this machine.`)
  }
  const { dir } = settings
  if ((await runningIn(dir)) !== null) {
    say('It runs already.')
    return status(settings)
  }
  await clearLeftOver(dir)
  await findServers()
  await start(dir)
  return status(settings)
}

/** Starts the daemon in its own session, so that neither Ctrl-C nor a closed terminal ends it. */
async function start(dir: string): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const logFile = join(dir, 'stack.log')
  const log = openSync(logFile, 'a', 0o600)
  const child = spawn(process.execPath, [join(import.meta.dirname, 'daemon.ts')], {
    detached: true,
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  child.unref()
  if (child.pid === undefined) throw new StartError('The stack did not start: Node cannot be run.')
  await recordProcess(dir, child.pid)
  const deadline = Date.now() + READY_WITHIN_MS
  while ((await endpointsIn(dir))?.pid !== child.pid) {
    if (child.exitCode === null && child.signalCode === null && Date.now() < deadline) {
      await delay(100)
      continue
    }
    await down({ dir })
    const lastLine = (await readFile(logFile, 'utf8')).trim().split('\n').at(-1)
    throw new StartError(`The stack did not start: ${lastLine}`)
  }
}

/** Rolling update: every instance is replaced, one after the other, without an outage. */
async function update({ dir, shape }: StackSettings): Promise<boolean> {
  if (shape === 'containers' || existsSync(containersFlag(dir))) {
    updateContainers(ROOT)
    return true
  }
  const [daemon, endpoints] = [await runningIn(dir), await endpointsIn(dir)]
  if (daemon === null || !endpoints) throw new StartError('The stack does not run; start it with make stack.')
  const instances = Object.keys(endpoints.health).filter((name) => /-\d+$/.test(name))
  const processes = () => Promise.all(instances.map((name) => runningIn(join(dir, name))))
  const before = await processes()
  sendSignal(daemon, 'SIGHUP')
  const deadline = Date.now() + instances.length * RESTART_WITHIN_MS
  for (let done = 0; done < instances.length;) {
    await delay(500)
    const now = await processes()
    const after = now.filter((pid, n) => pid !== null && pid !== before[n]).length
    if (after > done) say(`${after} of ${instances.length} restarted`)
    done = after
    if (Date.now() > deadline) throw new StartError(`The update did not end; see ${join(dir, 'stack.log')}.`)
  }
  return true
}

async function down({ dir }: Pick<StackSettings, 'dir'>): Promise<boolean> {
  await stopLeftOver(dir, STOP_WITHIN_MS)
  await clearLeftOver(dir)
  if (existsSync(containersFlag(dir)) && show(ROOT, 'docker', 'compose', 'down'))
    await rm(containersFlag(dir))
  say('Stopped. Its data is in', dir)
  return true
}

/** File that exists while containers were started from this folder: those of another folder must not be stopped. */
function containersFlag(dir: string): string {
  return join(dir, 'containers')
}

/** Stops processes that a killed stack left running. */
async function clearLeftOver(dir: string): Promise<void> {
  const folders = await readdir(dir, { withFileTypes: true }).catch(() => [])
  await Promise.all(folders.flatMap((one) => (one.isDirectory() ? [stopLeftOver(join(dir, one.name))] : [])))
  await stopOrphan(join(dir, 'postgres', 'cluster'))
}

async function status({ dir }: StackSettings): Promise<boolean> {
  const endpoints = (await runningIn(dir)) === null ? null : await endpointsIn(dir)
  if (!endpoints) {
    if (existsSync(containersFlag(dir))) return show(ROOT, 'docker', 'compose', 'ps')
    say('The stack does not run; start it with make stack.')
    return false
  }
  for (const [name, address] of Object.entries(endpoints.health).reverse()) {
    if (!/-\d+$/.test(name)) continue
    const answer = await fetch(`${address}/readyz`).catch(() => null)
    const state = answer ? ((await answer.json()) as { parts: object }).parts : 'no answer'
    say(`  ${name.padEnd(12)} ${address}  ${JSON.stringify(state)}`)
  }
  const { web, gateways = [], mailbox, operator } = endpoints
  say(`\nPrelude is ready: ${web}`)
  say(`  balanced over ${gateways.join(' and ')}`)
  if (operator.email) say(`  operator: sign in as ${operator.email}, admin password ${operator.password}`)
  if (mailbox !== null) say(`  mail: ${mailbox}`)
  say(`  data and a log for each process: ${dir}\n  stop with make stack-down`)
  return true
}

async function endpointsIn(dir: string): Promise<Endpoints | null> {
  return readFile(join(dir, 'endpoints.json'), 'utf8').then(
    (text) => JSON.parse(text) as Endpoints,
    () => null,
  )
}

function say(...words: string[]): void {
  process.stdout.write(`${words.join(' ')}\n`)
}
