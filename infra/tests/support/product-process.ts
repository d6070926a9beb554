import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Endpoints } from '../../embedded/endpoints.ts'
import { freePort } from '../servers/server-process.ts'

export { freePort }

const ROOT = resolve(import.meta.dirname, '../../..')
/** As `make start` has it. */
const YOUNG_GENERATION = '--max-semi-space-size=16'
const WITH_CLOCK = 'infra/tests/support/product-with-clock.ts'
const READY_WITHIN_MS = 120_000
/** Another process took a port between its choice and the start. */
const TAKEN = /Port \d+ is taken|EADDRINUSE/

export interface ProductProcess extends AsyncDisposable {
  readonly dataDir: string
  readonly port: number
  endpoints: Endpoints
  /** SIGKILL, without any clean-up. */
  kill(): Promise<void>
  /** Starts again on the same data. */
  start(env?: Record<string, string>): Promise<void>
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>
  /** Runs the invariants; answers their report, throws when one is broken. */
  checkInvariants(...args: string[]): string
  /** Moves its clock forward; it keeps its time over restarts. Only of a product that was started with a clock. */
  pass(ms: number): Promise<void>
  /** Its output since the last start. */
  output(): string
  /** Closes the pipes of its output, as when a terminal is closed. */
  leaveOutput(): void
}

/**
 * Starts the product as its own process, all in one, on a data folder of its own. Where `PRODUCT_DIR` names the folder of a
 * running product, that one is used. `clock`: with a clock that `pass` moves.
 */
export async function startProductProcess(
  env: Record<string, string> = {},
  { clock = false }: { clock?: boolean } = {},
): Promise<ProductProcess> {
  const running = process.env['PRODUCT_DIR']
  if (running) return runningProduct(resolve(running))
  const dataDir = env['DATA_DIR'] ?? (await mkdtemp(join(tmpdir(), 'prelude-e2e-')))
  const port = await freePort()
  let child: ChildProcess | undefined
  let output = ''
  let aheadMs = 0
  const main = clock ? WITH_CLOCK : 'infra/embedded/main.ts'
  const environment = { ...process.env, LOG_LEVEL: 'warn', PORT: String(port), DATA_DIR: dataDir, ...env }
  const product: ProductProcess = {
    dataDir,
    port,
    endpoints: undefined as unknown as Endpoints,
    start: async (extra = {}) => {
      output = ''
      const started = spawn(join(ROOT, 'node_modules/.bin/node'), [YOUNG_GENERATION, main], {
        cwd: ROOT,
        env: { ...environment, CLOCK_AHEAD_MS: String(aheadMs), ...extra },
        stdio: ['ignore', 'pipe', 'pipe', ...(clock ? (['ipc'] as const) : [])],
      })
      child = started
      started.stdout!.on('data', (chunk: Buffer) => (output += chunk.toString()))
      started.stderr!.on('data', (chunk: Buffer) => (output += chunk.toString()))
      product.endpoints = await readyEndpoints(dataDir, started, () => output)
    },
    kill: async () => {
      const gone = once(child!, 'exit')
      child!.kill('SIGKILL')
      await gone
    },
    stop: async () => {
      if (!child || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null
      const gone = once(child, 'exit')
      child.kill('SIGTERM')
      const [code] = (await gone) as [number | null]
      return code
    },
    checkInvariants: (...args) => checkInvariants(environment, args),
    pass: async (ms) => {
      if (!clock) throw new Error('the product was started without a clock')
      aheadMs += ms
      const passed = once(child!, 'message')
      child!.send(ms)
      await passed
    },
    output: () => output,
    leaveOutput: () => {
      child?.stdout?.destroy()
      child?.stderr?.destroy()
    },
    [Symbol.asyncDispose]: async () => {
      await product.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
  try {
    await product.start()
    return product
  } catch (error) {
    if (env['PORT'] !== undefined || !TAKEN.test(String(error))) throw error
    return startProductProcess({ ...env, DATA_DIR: dataDir }, { clock })
  }
}

/**
 * A product that already runs, by the `endpoints.json` in its folder. `PRODUCT_RESTART` is the command that restarts it, if
 * set; it is never stopped. Its database and store are found by the folder or by addresses in `env`; where they cannot be
 * reached from here, `PRODUCT_CHECK` is the command that checks invariants.
 */
export async function runningProduct(dataDir: string, env: NodeJS.ProcessEnv = {}): Promise<ProductProcess> {
  const { PRODUCT_RESTART: restart } = process.env
  const endpoints = async () =>
    JSON.parse(await readFile(join(dataDir, 'endpoints.json'), 'utf8')) as Endpoints
  const again = async (): Promise<void> => {
    if (restart) execFileSync('sh', ['-c', restart], { cwd: ROOT, stdio: 'inherit' })
    else process.stderr.write('PRODUCT_RESTART is not set: the product is not restarted.\n')
    product.endpoints = await endpoints()
  }
  const first = await endpoints()
  const product: ProductProcess = {
    dataDir,
    port: Number(new URL(first.web).port),
    endpoints: first,
    start: again,
    stop: async () => 0,
    kill: async () => {},
    checkInvariants: (...args) => checkInvariants({ ...process.env, ...env, DATA_DIR: dataDir }, args),
    pass: async () => {
      throw new Error('the product that runs already has no clock to move')
    },
    output: () => '',
    leaveOutput: () => {},
    [Symbol.asyncDispose]: async () => {},
  }
  return product
}

function checkInvariants(env: NodeJS.ProcessEnv, args: readonly string[]): string {
  const command = env['PRODUCT_CHECK'] || 'node_modules/.bin/node infra/cli/main.ts check-invariants'
  const run = spawnSync([command, ...args].join(' '), { cwd: ROOT, env, encoding: 'utf8', shell: true })
  if (run.status !== 0) throw new Error(run.stdout + run.stderr)
  return run.stdout
}

async function readyEndpoints(
  dataDir: string,
  child: ChildProcess,
  output: () => string,
): Promise<Endpoints> {
  const deadline = Date.now() + READY_WITHIN_MS
  while (Date.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`the product ended: ${output()}`)
    const endpoints = await readFile(join(dataDir, 'endpoints.json'), 'utf8')
      .then((text) => JSON.parse(text) as Endpoints)
      .catch(() => null)
    if (endpoints && endpoints.pid === child.pid) return endpoints
    await delay(50)
  }
  throw new Error(`the product was not ready in time: ${output()}`)
}
