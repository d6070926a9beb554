import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'

/**
 * `make containers-update`: rolling update of running containers to the version that is checked out, or to the image
 * PRELUDE_IMAGE: migrations first, then for each service as many new instances beside the old ones, which receive SIGTERM once
 * the new ones are healthy. Storage has a single instance, which is replaced. Ends at the first step that fails: the old
 * instances go on, and another update, with a good version, completes it.
 */

interface Config {
  readonly services: Readonly<
    Record<string, { readonly image?: string; readonly deploy?: { readonly replicas?: number } }>
  >
}

const ROOT = resolve(import.meta.dirname, '../..')
/** A service that others call comes before its callers. Events need no order (decision 70). */
const UPDATE_ORDER = ['songs', 'credits', 'payments', 'notifier', 'gateway']

const config = spawnSync('docker', ['compose', 'config', '--format', 'json'], { cwd: ROOT, encoding: 'utf8' })
if (config.status !== 0) fail('docker compose does not read its settings; run make containers first.')
const { services } = JSON.parse(config.stdout) as Config

function fail(sentence: string): never {
  process.stderr.write(`${sentence}\n`)
  process.exit(1)
}

function compose(...args: string[]): void {
  const { status } = spawnSync('docker', ['compose', ...args], { cwd: ROOT, stdio: 'inherit' })
  if (status !== 0) fail(`The update ended at: docker compose ${args.join(' ')}`)
}

const up = (...args: string[]): void => compose('up', '--detach', '--wait', ...args)

const isBuiltHere = services['prepare']?.image === 'prelude'
compose(...(isBuiltHere ? ['build'] : ['pull', '--policy', 'missing', 'prepare']))
// PostgreSQL with its archive is an image of this machine
if (!isBuiltHere && services['postgres']?.image === 'prelude-postgres') compose('build', 'postgres')
compose('run', '--rm', 'prepare')
for (const service of UPDATE_ORDER) {
  const count = services[service]?.deploy?.replicas ?? 1
  up('--no-deps', '--no-recreate', '--scale', `${service}=${2 * count}`, service)
  up('--no-deps', '--scale', `${service}=${count}`, service)
}
up() // storage, and every other container that has changed
compose('kill', '--signal', 'USR2', 'balancer') // HAProxy reloads its settings
