import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Config {
  readonly services: Readonly<Record<string, { readonly image?: string; readonly build?: unknown }>>
}

/** Why the containers of docker-compose.yml cannot run here, or null when they can. Pulls images that are missing. */
export function containersProblem(root: string): string | null {
  if (!existsSync(join(root, 'docker-compose.yml'))) return 'there is no docker-compose.yml'
  if (docker(root, 'info') === null) return 'no container engine runs'
  const config = docker(root, 'compose', 'config', '--no-interpolate', '--format', 'json')
  if (config === null) return 'docker compose is not installed'
  const missing = foreignImages(root, JSON.parse(config) as Config).find((image) => !isThere(root, image))
  return missing === undefined ? null : `the image ${missing} is neither there nor to be pulled`
}

/** Those that are not built here, and those that the build starts from. */
function foreignImages(root: string, { services }: Config): string[] {
  const all = Object.values(services)
  const built = new Set(all.flatMap(({ image, build }) => (build === undefined ? [] : [image])))
  const taken = all.flatMap(({ image = '' }) => (built.has(image) ? [] : [image]))
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

/** Runs a command in front of the person's eyes; true when it went well. */
export const show = (root: string, command: string, ...args: string[]): boolean =>
  spawnSync(command, args, { cwd: root, stdio: 'inherit' }).status === 0
