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

export interface Servers extends AsyncDisposable {
  /** What commands of administrators read, and the tests. */
  readonly env: Readonly<Record<'DATABASE_ADMIN_URL' | 'BUS_URL' | 'KV_URL' | 'BLOBS_URL', string>>
  /** The same addresses for a service. */
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
export async function startServers(dir: string, { root = ROOT } = {}): Promise<Servers> {
  await using starting = new AsyncDisposableStack()
  const urls = new Map<string, string>()
  const start = async (
    [name, setting]: [string, string],
    startOne: (options: NativeOptions) => Promise<NativeServer>,
  ): Promise<void> => {
    const server = await startOne({ dir: join(dir, name), port: await freePort() })
    starting.defer(() => server.stop())
    urls.set(setting, server.url)
  }
  await start(['postgres', 'DATABASE_ADMIN_URL'], startPostgresServer)
  await start(['kafka', 'BUS_URL'], startKafka)
  await start(['redis', 'KV_URL'], startRedis)
  await start(['s3', 'BLOBS_URL'], (options) => startS3({ ...options, ...KEYS }))
  const env = Object.fromEntries(urls) as Servers['env']
  const { DATABASE_ADMIN_URL, ...others } = env
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
    env,
    envOf: (service) => ({ ...others, DATABASE_URL: roleUrl(DATABASE_ADMIN_URL, service, PASSWORD) }),
    prepare,
    [Symbol.asyncDispose]: () => ending.disposeAsync(),
  }
}
