import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { eventually } from '@prelude/platform/eventually'
import type { Endpoints } from '../../embedded/endpoints.ts'
import { SOURCES, unhandled } from '../../invariants/events.ts'
import { startContainers } from '../containers/product-in-containers.ts'

/** The product in containers, and commands to its engine that do not block the load beside them. */
export interface Scene extends AsyncDisposable {
  /** A copy of the source tree, from which the containers were started. */
  readonly folder: string
  readonly endpoints: Endpoints
  /** Answers what the command printed. Errors: what it printed. */
  docker(...args: string[]): Promise<string>
  compose(...args: string[]): Promise<string>
}

export interface Drill {
  readonly name: string
  /** Ends with all services and servers running. Errors: one sentence about what did not hold. */
  run(scene: Scene): Promise<void>
}

type Failure = Error & { readonly stdout: string; readonly stderr: string }

/** `env` is added to the environment of all commands; it names the compose project. */
export async function startScene(
  env: { readonly COMPOSE_PROJECT_NAME: string } & Record<string, string>,
): Promise<Scene> {
  const containers = await startContainers(env)
  const { folder } = containers
  const docker: Scene['docker'] = async (...args) =>
    promisify(execFile)('docker', args, {
      cwd: folder,
      env: containers.env,
      maxBuffer: 16 * 1024 * 1024,
    }).then(
      ({ stdout }) => stdout.trim(),
      ({ message, stdout, stderr }: Failure) => {
        throw new Error(`docker ${args.join(' ')}: ${stdout || stderr || message}`)
      },
    )
  return {
    folder,
    endpoints: (await containers.product()).endpoints,
    docker,
    compose: (...args) => docker('compose', ...args),
    [Symbol.asyncDispose]: () => containers[Symbol.asyncDispose](),
  }
}

/** A command in the container of PostgreSQL: psql as the database's owner, with the SQL as its argument. */
export const PSQL = [
  ...['postgres', 'sh', '-c'],
  'PGPASSWORD=$(cat /run/secrets/database-password) exec psql -h 127.0.0.1 -U postgres -d prelude -qAtX -c "$0"',
]

/** Answers a line for each row. */
export const sql = ({ compose }: Scene, statements: string): Promise<string> =>
  compose('exec', '-T', ...PSQL, statements)

const UNHANDLED = Object.entries(SOURCES)
  .flatMap(([consumer, sources]) =>
    sources.map((source) => `(select count(*) from (${unhandled(consumer, source)}) w)`),
  )
  .join(' + ')

/** Waits until every event is handled. */
export const settle = (scene: Scene): Promise<void> =>
  eventually(async () => {
    const count = await sql(scene, `select ${UNHANDLED}`)
    if (count !== '0') throw new Error(`${count} events are not handled`)
  })

/** The end of each drill and alarm. Errors: the report with the broken invariants. */
export const checkInvariants = ({ compose }: Scene): Promise<string> =>
  compose('run', '--rm', '--no-deps', 'prepare', 'prelude', 'check-invariants')
