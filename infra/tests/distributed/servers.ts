import { execFile } from 'node:child_process'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { SERVICE_NAMES } from '@prelude/contracts'
import { findKafka, startKafka } from '../servers/kafka.ts'
import { startPostgresServer } from '../servers/postgres.ts'
import { findRedis, startRedis } from '../servers/redis.ts'
import { findS3, startS3 } from '../servers/s3.ts'
import { freePort, type NativeOptions, type NativeServer } from '../servers/server-process.ts'
import { AUDIT_SCHEMA } from '../../prepare/audit-role.ts'
import { roleUrl } from '@prelude/platform/migrate'

export const ROOT = resolve(import.meta.dirname, '../../..')
/** Of each service's role in the database. */
const PASSWORD = 'test-role-password'
const KEYS = { accessKey: 'prelude', secretKey: 'test-store-secret' }

/** Answers the port at which others reach these ports of one server, or of all instances of one service: a proxy's, say. */
export type Front = (ports: readonly number[]) => Promise<number>
export const direct: Front = async ([port = 0]) => port

export interface Servers extends AsyncDisposable {
  readonly processes: Readonly<Record<'postgres' | 'kafka' | 'redis' | 's3', NativeServer>>
  /** What operators' commands read, and the tests: never through a proxy. */
  readonly env: Readonly<Record<'DATABASE_ADMIN_URL' | 'BUS_URL' | 'KV_URL' | 'BLOBS_URL', string>>
  /** The same addresses for a service, each by its front. */
  envOf(service: string): Record<string, string>
  /** Brings schemas, roles and topics to the version of a checkout; default: this one. */
  prepare(root?: string): Promise<void>
}

/** Errors: ServerMissing. */
export async function findServers(): Promise<void> {
  findRedis()
  await Promise.all([findKafka(), findS3()])
}

/** Starts PostgreSQL, Kafka, Redis and an S3 store as processes, each in a folder below `dir`, and prepares them. */
export async function startServers(dir: string, { root = ROOT, front = direct } = {}): Promise<Servers> {
  await using starting = new AsyncDisposableStack()
  const urls = { own: new Map<string, string>(), front: new Map<string, string>() }
  const start = async (
    [name, setting]: [string, string],
    startOne: (options: NativeOptions & { advertisedPort: number }) => Promise<NativeServer>,
  ): Promise<NativeServer> => {
    const port = await freePort()
    const advertisedPort = await front([port])
    const server = await startOne({ dir: join(dir, name), port, advertisedPort })
    starting.defer(() => server.stop())
    urls.own.set(setting, server.url)
    urls.front.set(setting, server.url.replace(`:${port}`, `:${advertisedPort}`))
    return server
  }
  const processes = {
    postgres: await start(['postgres', 'DATABASE_ADMIN_URL'], startPostgresServer),
    kafka: await start(['kafka', 'BUS_URL'], startKafka),
    redis: await start(['redis', 'KV_URL'], startRedis),
    s3: await start(['s3', 'BLOBS_URL'], (options) => startS3({ ...options, ...KEYS })),
  }
  const env = Object.fromEntries(urls.own) as Servers['env']
  const { DATABASE_ADMIN_URL: frontUrl = '', ...others } = Object.fromEntries(urls.front)
  const prepare: Servers['prepare'] = async (from = ROOT) => {
    const ofSchema = (schema: string) => [
      `${schema.toUpperCase()}_DATABASE_URL`,
      roleUrl(env.DATABASE_ADMIN_URL, schema, PASSWORD),
    ]
    await promisify(execFile)(process.execPath, ['infra/prepare/main.ts'], {
      cwd: from,
      env: {
        ...env,
        PATH: process.env['PATH'],
        ...Object.fromEntries([...SERVICE_NAMES, AUDIT_SCHEMA].map(ofSchema)),
      },
    })
  }
  await prepare(root)
  const ending = starting.move()
  return {
    processes,
    env,
    envOf: (service) => ({ ...others, DATABASE_URL: roleUrl(frontUrl, service, PASSWORD) }),
    prepare,
    [Symbol.asyncDispose]: () => ending.disposeAsync(),
  }
}
