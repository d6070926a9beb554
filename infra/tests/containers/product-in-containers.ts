import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { ServerMissing } from '../servers/server-missing.ts'
import { freePort } from '../servers/server-process.ts'
import { copySources } from '../support/copy-checkout.ts'
import { type ProductProcess, runningProduct } from '../support/product-process.ts'
import { whyMissing } from '../support/with-server.ts'

const ROOT = resolve(import.meta.dirname, '../../..')

/** Of a build without any layer in the engine's cache. */
export const BUILD_WITHIN_MS = 900_000
/** Of the compose project, whose name its volumes begin with. */
export const PROJECT = 'prelude-test'

/** Why no containers can run here; null: they can. */
export const noContainers = (): Promise<string | null> =>
  whyMissing('container engine', async () => {
    for (const asked of [['info'], ['compose', 'version']])
      if (spawnSync('docker', asked).status !== 0)
        throw new ServerMissing(`docker ${asked.join(' ')} does not succeed`)
  })

export interface ProductInContainers extends AsyncDisposable {
  /** A copy of the source tree. */
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
  /** Runs a command in the folder; answers what it printed. Throws when it fails. */
  run(command: string, ...args: string[]): string
  compose(...args: string[]): string
  product(): Promise<ProductProcess>
}

/** This source tree, with its packages. */
export async function checkOutThis(folder: string): Promise<void> {
  await copySources(folder)
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
}

/**
 * `make containers`, from a copy of the source tree and in a compose project of its own, so that its settings, secrets and
 * volumes are not those of a product that runs here. `settings` are added to the environment. `checkOut` fills the folder.
 */
export async function startContainers(
  settings: Readonly<Record<string, string>> = {},
  checkOut: (folder: string) => Promise<void> = checkOutThis,
): Promise<ProductInContainers> {
  const folder = await mkdtemp(join(tmpdir(), 'prelude-containers-'))
  const env = {
    ...process.env,
    COMPOSE_PROJECT_NAME: PROJECT,
    PORT: String(await freePort()),
    RATE_LIMITS: 'off',
    ...settings,
  }
  const run = (command: string, ...args: string[]): string => {
    const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, env, encoding: 'utf8' })
    if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}: ${stdout}${stderr}`)
    return stdout + stderr
  }
  const compose = (...args: string[]): string => run('docker', 'compose', ...args)
  await checkOut(folder)
  run('node', 'infra/docker/first-run.ts')
  await using stack = new AsyncDisposableStack()
  const containers = stack.use<ProductInContainers>({
    folder,
    env,
    run,
    compose,
    product: () => runningProduct(join(folder, 'infra/docker/secrets')),
    [Symbol.asyncDispose]: async () => {
      try {
        compose('--profile', '*', 'down', '--volumes')
      } catch (error) {
        // an engine may keep an endpoint of a container that was restarted, and with it a network: the next start uses that
        const project = `label=com.docker.compose.project=${env.COMPOSE_PROJECT_NAME}`
        if (run('docker', 'ps', '--all', '--quiet', '--filter', project) !== '') throw error
        process.stderr.write(`${String(error).trim().split('\n').at(-1)}\n`)
      }
      await rm(folder, { recursive: true, force: true })
    },
  })
  compose('up', '--build', '--detach', '--wait')
  stack.move() // what has started is the caller's
  return containers
}
