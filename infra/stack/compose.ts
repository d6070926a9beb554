import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from '../embedded/start-error.ts'

interface Config {
  readonly services: Readonly<
    Record<
      string,
      {
        readonly image?: string
        readonly build?: unknown
        readonly profiles?: readonly string[]
        readonly deploy?: { readonly replicas?: number }
      }
    >
  >
}

/** The reason why the containers of docker-compose.yml cannot run here, or null. Pulls missing images. */
export function containersProblem(root: string): string | null {
  if (!existsSync(join(root, 'docker-compose.yml'))) return 'there is no docker-compose.yml'
  if (docker(root, 'info') === null) return 'no container engine runs'
  const images = pulledImages(root)
  if (images === null) return 'docker compose is not installed'
  const missing = images.find((image) => !isThere(root, image))
  return missing === undefined ? null : `the image ${missing} is neither there nor to be pulled`
}

/**
 * Images that are pulled, not built here: of services without a profile, and the base images of the build. Null without
 * docker compose. Exported for `.ci/run`, which has them made where none can be pulled.
 */
export function pulledImages(root: string): string[] | null {
  const config = docker(root, 'compose', 'config', '--no-interpolate', '--format', 'json')
  if (config === null) return null
  const all = Object.values((JSON.parse(config) as Config).services)
  const built = new Set(all.flatMap(({ image, build }) => (build === undefined ? [] : [image])))
  const taken = all.flatMap(({ image = '', profiles = [] }) =>
    built.has(image) || profiles.length > 0 ? [] : [image],
  )
  const recipe = readFileSync(join(root, 'infra/docker/Dockerfile'), 'utf8')
  const values = new Map([...recipe.matchAll(/^ARG (\w+)=(\S+)/gm)].map(([, name, value]) => [name, value]))
  const bases = [...recipe.matchAll(/^FROM (\S+:\S+)/gm)].map(([, image = '']) =>
    image.replace(/\$\{(\w+)\}/g, (_, name: string) => values.get(name) ?? ''),
  )
  return [...new Set([...taken, ...bases])]
}

const isThere = (root: string, image: string): boolean =>
  docker(root, 'image', 'inspect', image) !== null || docker(root, 'pull', '--quiet', image) !== null

const PULL_WITHIN_MS = 10 * 60_000

function docker(root: string, ...args: string[]): string | null {
  const run = spawnSync('docker', args, { cwd: root, encoding: 'utf8', timeout: PULL_WITHIN_MS })
  return run.status === 0 ? run.stdout : null
}

/** Update order: a service that others call comes before its callers. Events need none (decision 70). */
const UPDATE_ORDER = ['songs', 'credits', 'payments', 'notifier', 'gateway']

/**
 * Rolling update of running containers to the version that is checked out, or to the image PRELUDE_IMAGE: migrations first,
 * then for each service as many new instances beside the old ones, which receive SIGTERM once the new ones are healthy.
 * Storage has a single instance, which is replaced. Ends at the first step that fails: the old instances go on, and another
 * update, with a good version, completes it. Errors: StartError.
 */
export function updateContainers(root: string): void {
  const config = docker(root, 'compose', 'config', '--format', 'json')
  if (config === null)
    throw new StartError('docker compose does not read its settings; run make containers first.')
  const { services } = JSON.parse(config) as Config
  const compose = (...args: string[]): void => {
    if (!show(root, 'docker', 'compose', ...args))
      throw new StartError(`The update ended at: docker compose ${args.join(' ')}`)
  }
  const up = (...args: string[]): void => compose('up', '--detach', '--wait', ...args)
  const isOurs = services['prepare']?.image === 'prelude'
  compose(...(isOurs ? ['build'] : ['pull', '--policy', 'missing', 'prepare']))
  // PostgreSQL with its archive is an image of this machine
  if (!isOurs && services['postgres']?.image === 'prelude-postgres') compose('build', 'postgres')
  compose('run', '--rm', 'prepare')
  for (const service of UPDATE_ORDER) {
    const count = services[service]?.deploy?.replicas ?? 1
    up('--no-deps', '--no-recreate', '--scale', `${service}=${2 * count}`, service)
    up('--no-deps', '--scale', `${service}=${count}`, service)
  }
  up() // storage, and every other container that has changed
  compose('kill', '--signal', 'USR2', 'balancer') // HAProxy reloads its settings
}

/** Runs a command with its output on the terminal; true when it succeeded. */
export const show = (root: string, command: string, ...args: string[]): boolean =>
  spawnSync(command, args, { cwd: root, stdio: 'inherit' }).status === 0
