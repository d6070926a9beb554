import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { SERVICE_NAMES } from '@prelude/contracts'
import {
  type Certificate,
  listen,
  publicKeysFrom,
  secretOf,
  serviceDatabase,
  systemClock,
  Unavailable,
  withOwnerConnection,
} from '@prelude/platform'
import { certificate, testLogger, trustedCertificate } from '@prelude/platform/testing'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { eventually } from '@prelude/platform/eventually'
import { findPgbouncer, startPgbouncer } from '../servers/pgbouncer.ts'
import { startPostgresServer } from '../servers/postgres.ts'
import { freePort, type NativeServer, sendSignal } from '../servers/server-process.ts'
import { type Link, startLink } from '../servers/link.ts'
import { whyMissing } from '../support/with-server.ts'
import { roleOf, roleUrl } from '@prelude/platform/migrate'
import { startCredits, startPayments } from './payments-and-credits.ts'

/** PostgreSQL as providers run it: TLS from a private authority, an address that moves, a transaction pooler in front. */

const ROOT = resolve(import.meta.dirname, '../../..')
const PASSWORD = 'test-role-password'

const noPooler = await whyMissing('PgBouncer', findPgbouncer)

let dir = ''
let authority: Certificate
let server: NativeServer
/** What the name in all addresses leads to. */
const targets: number[] = []
let link: Link

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'prelude-managed-'))
  await chmod(dir, 0o711)
  authority = await trustedCertificate()
  server = await startPostgresServer({ dir: join(dir, 'database'), durable: false })
  await writeOwned('pg_hba.conf', 'hostssl all all 127.0.0.1/32 scram-sha-256\n')
  await setCertificate(await certificate('DNS:localhost', authority))
  await query(server.url, 'alter system set ssl = on')
  await query(server.url, 'select pg_reload_conf()')
  targets.push(server.port)
  link = await startLink(targets)
  await eventually(() => query(adminUrl(), 'select 1'))
  await writeFile(join(dir, 'authority.pem'), authority.cert)
  await prepare({ NODE_EXTRA_CA_CERTS: join(dir, 'authority.pem') })
})
afterAll(async () => {
  await link.close()
  await server.stop()
  await rm(dir, { recursive: true, force: true })
})

/** A file in the server's folder, which belongs to its user. */
async function writeOwned(name: string, text: string): Promise<void> {
  const cluster = join(dir, 'database', 'cluster')
  const { uid, gid } = await stat(cluster)
  await writeFile(join(cluster, name), text, { mode: 0o600 })
  await chown(join(cluster, name), uid, gid)
}

async function setCertificate({ cert, key }: Certificate): Promise<void> {
  await writeOwned('server.crt', cert)
  await writeOwned('server.key', key)
}

/** As the database's owner. */
const query = (url: string, sql: string, params: unknown[] = []): Promise<pg.QueryResult> =>
  withOwnerConnection(url, (client) => client.query(sql, params))

/** With TLS, at the address that moves. */
function adminUrl(host = 'localhost'): string {
  const url = new URL(server.url)
  url.host = `${host}:${link.port}`
  url.searchParams.set('sslmode', 'verify-full')
  return url.href
}
const urlOf = (schema: string): string => roleUrl(adminUrl(), schema, PASSWORD)

/** Runs the step before services start, as a process. Rejects when it fails, with what it printed. */
async function prepare(env: Record<string, string>): Promise<void> {
  const schemas = Object.fromEntries(
    SERVICE_NAMES.map((name) => [`${name.toUpperCase()}_DATABASE_URL`, urlOf(name)]),
  )
  await promisify(execFile)(process.execPath, ['infra/prepare/main.ts'], {
    cwd: ROOT,
    env: {
      PATH: process.env['PATH'],
      DATABASE_ADMIN_URL: adminUrl(),
      BUS_URL: urlOf('bus'),
      KV_URL: urlOf('kv'),
      ...schemas,
      ...env,
    },
  })
}

test('an authority of its own is trusted only where it is named; another name, another authority and no TLS are refused', async () => {
  await expect(prepare({})).rejects.toThrow(/unable to verify|self-signed certificate in certificate chain/)
  const isEncrypted = `select ssl from pg_stat_ssl where pid = pg_backend_pid()`
  const { rows } = await query(adminUrl(), isEncrypted)
  expect(rows).toEqual([{ ssl: true }])
  const connect = (url: string) => query(url, 'select 1')
  await expect(connect(adminUrl('127.0.0.1'))).rejects.toThrow(/IP: 127.0.0.1 is not in the cert/)
  await expect(connect(adminUrl().replace('?sslmode=verify-full', ''))).rejects.toThrow(/no encryption/)
  const withoutTls = `${inject('adminUrl')}?sslmode=verify-full`
  await expect(connect(withoutTls)).rejects.toThrow('does not support SSL')

  await setCertificate(await certificate('DNS:localhost'))
  await query(adminUrl(), 'select pg_reload_conf()')
  await eventually(() => expect(connect(adminUrl())).rejects.toThrow(/self-signed certificate/))
  await setCertificate(await certificate('DNS:localhost,IP:127.0.0.1', authority))
  sendSignal(server.pid, 'SIGHUP')
  await eventually(() => connect(adminUrl()))
})

/** Payments, which can emit, and the real credits; their pools go through `poolerUrl` if given. */
async function startServices(poolerUrl?: (schema: string) => string) {
  const logger = testLogger()
  const placeOf = (service: string) => ({
    databaseUrl: urlOf(service),
    poolerUrl: poolerUrl?.(service),
    busUrl: urlOf('bus'),
    logger,
  })
  const payments = startPayments(placeOf('payments'))
  const credits = await startCredits(placeOf('credits'))
  return {
    payments: payments.db,
    pay: payments.pay,
    balance: async (uid: string): Promise<unknown> => {
      const sql = 'select balance_cents from credits.account where uid = $1'
      const { rows } = await query(adminUrl(), sql, [uid])
      return Number((rows[0] as { balance_cents?: unknown } | undefined)?.balance_cents ?? 0)
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([payments.stop(), credits.stop()])
    },
  }
}

test('after a failover to another address writes, consumers and listeners go on within seconds', async () => {
  await using services = await startServices()
  const received: string[] = []
  const listener = listen({
    url: urlOf('credits'),
    schema: 'credits',
    channel: 'test',
    logger: testLogger(),
    onMessage: (message) => received.push(message),
  })
  try {
    await listener.ready
    await services.pay('ada', 100)
    await expect.poll(() => services.balance('ada')).toBe(100)

    // the old primary still answers, and only reads
    await query(adminUrl(), 'alter system set default_transaction_read_only = on')
    await query(adminUrl(), 'select pg_reload_conf()')
    await eventually(() => expect(services.pay('probe', 1)).rejects.toBeInstanceOf(Unavailable))
    await query(adminUrl(), 'alter system reset default_transaction_read_only')

    await server.kill()
    server = await startPostgresServer({ dir: server.dir, port: await freePort(), durable: false })
    targets[0] = server.port
    await eventually(() => services.pay('probe', 1))
    await services.pay('ada', 200)
    await expect.poll(() => services.balance('ada')).toBe(300)
    await expect.poll(() => listener.connected()).toBe(true)
    await services.payments.query(`select pg_notify('test', 'again')`)
    await expect.poll(() => received).toEqual(['again'])
  } finally {
    await listener.stop()
  }
})

const MASTER = 'a master secret of this test'

/** Songs as a process of its own, which trusts the authority by its environment. */
async function startSongs(env: Record<string, string>) {
  const port = await freePort()
  const songs = spawn(process.execPath, ['services/songs/src/main.ts'], {
    cwd: ROOT,
    stdio: 'ignore',
    env: {
      PATH: process.env['PATH'],
      NODE_EXTRA_CA_CERTS: join(dir, 'authority.pem'),
      INTERNAL_SECRET: secretOf('songs', MASTER),
      INTERNAL_PUBLIC_KEYS: publicKeysFrom(MASTER),
      INTERNAL_PORT: String(port),
      DATABASE_URL: urlOf('songs'),
      BUS_URL: urlOf('bus'),
      ...env,
    },
  })
  return {
    /** The state of its database, as it reports it itself. */
    database: async (): Promise<unknown> => {
      const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null)
      const { parts = {} } = ((await answer?.json()) ?? {}) as { parts?: Record<string, unknown> }
      return parts['database']
    },
    stop: async () => {
      const ended = once(songs, 'exit')
      songs.kill('SIGINT')
      await ended
    },
  }
}

describe.skipIf(noPooler !== null)('behind a transaction pooler', () => {
  const POOL_SIZE = 2
  test('services work with fewer sessions at the server than they have connections', async () => {
    const pooler = await startPgbouncer({
      dir: join(dir, 'pooler'),
      serverPort: server.port,
      authority: authority.cert,
      certificate: await certificate('DNS:localhost', authority),
      users: Object.fromEntries(SERVICE_NAMES.map((name) => [roleOf(name), PASSWORD])),
      poolSize: POOL_SIZE,
    })
    const poolerUrl = (schema: string): string => {
      const url = new URL(urlOf(schema))
      url.port = String(pooler.port)
      return url.href
    }
    try {
      // what it refuses, and why there are two addresses
      const direct = serviceDatabase({
        url: poolerUrl('payments'),
        service: 'payments',
        clock: systemClock,
        logger: testLogger(),
      })
      await expect(direct.query('select 1')).rejects.toThrow(/unsupported startup parameter/)
      await direct.close()

      await using services = await startServices(poolerUrl)
      await Promise.all(Array.from({ length: 40 }, () => services.pay('bob', 100)))
      await expect.poll(() => services.balance('bob')).toBe(4_000)

      // its sessions have the schema and the limits of the role
      const { rows } = await services.payments.query(
        `select current_schema, current_setting('statement_timeout') as statement,
                current_setting('idle_in_transaction_session_timeout') as idle`,
      )
      expect(rows).toEqual([{ current_schema: 'payments', statement: '4s', idle: '30s' }])
      const sessions = `select count(*)::int as n from pg_stat_activity where usename = $1`
      const counted = await query(adminUrl(), sessions, [roleOf('payments')])
      expect(services.payments.pool.totalCount).toBeGreaterThan(POOL_SIZE)
      expect(counted.rows).toEqual([{ n: POOL_SIZE }])

      // a service as a process: its statements go through the pooler
      const songs = await startSongs({ DATABASE_POOLER_URL: poolerUrl('songs') })
      try {
        await expect.poll(songs.database).toBe('ok')
        await pooler.stop()
        await expect.poll(songs.database).toBe('down')
      } finally {
        await songs.stop()
      }
    } finally {
      await pooler.stop()
    }
  })
})
