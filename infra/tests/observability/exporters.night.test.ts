import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { testDatabase } from '@prelude/platform/testing'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { makeSecrets } from '../../docker/secrets.ts'
import { findProgram } from '../servers/installed.ts'
import { findRedis } from '../servers/redis.ts'
import { acceptsConnections, freePort, startProcess } from '../servers/server-process.ts'
import { grantMonitoring } from '../../prepare/monitor-role.ts'
import { whyMissing } from '../support/with-server.ts'

/**
 * The exporters of Debian, with the logins that containers get: what the rules about servers look at is there. They are older than
 * those of docker-compose.yml, with the same names of metrics; Debian has none of Kafka.
 */

const EXPORTERS = ['postgres', 'redis', 'node'] as const
const findExporters = (): void => {
  findRedis()
  for (const name of EXPORTERS) findProgram(`prometheus-${name}-exporter`)
}
const missing = await whyMissing('exporters', findExporters)

const { groups } = parse(
  await readFile(resolve(import.meta.dirname, '../../observability/prometheus/alerts.yml'), 'utf8'),
) as { groups: { name: string; rules: { expr: string }[] }[] }
const rules = groups.find(({ name }) => name === 'servers')?.rules ?? []
const asked = new Set(rules.flatMap(({ expr }) => expr.match(/\b(pg|redis|node)_\w+/g) ?? []))

describe.skipIf(missing !== null)('exporters', () => {
  const stop: (() => Promise<unknown>)[] = []
  let dir = ''
  const metrics: Record<string, string> = {}

  const start = async (
    name: (typeof EXPORTERS)[number],
    args: readonly string[],
    env: Record<string, string>,
  ): Promise<void> => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}/metrics`
    const exporter = await startProcess({
      name,
      dir: join(dir, name),
      command: `prometheus-${name}-exporter`,
      args: [...args, `--web.listen-address=127.0.0.1:${port}`],
      env,
      healthy: async () => {
        metrics[name] = await (await fetch(url, { signal: AbortSignal.timeout(20_000) })).text()
      },
    })
    stop.push(() => exporter.stop())
  }

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'prelude-exporters-'))
    stop.push(() => rm(dir, { recursive: true, force: true }))
    const secrets = await makeSecrets(join(dir, 'secrets'), {})
    await startRedisWith(secrets['redis.conf'] ?? '', secrets['redis-exporter.json'] ?? '')
    await readPostgres()
    await start('node', ['--collector.disable-defaults', '--collector.filesystem'], {})
  })
  afterAll(async () => {
    for (const one of stop.toReversed()) await one()
  })

  /** Redis with the file of the container, but its folder, and its exporter with the other file. */
  async function startRedisWith(conf: string, passwords: string): Promise<void> {
    const port = await freePort()
    await writeFile(join(dir, 'redis.conf'), conf.replace('dir /data', `dir ${dir}`))
    const server = await startProcess({
      name: 'redis-server',
      dir: join(dir, 'redis-server'),
      command: 'redis-server',
      args: [join(dir, 'redis.conf'), '--port', String(port), '--bind', '127.0.0.1'],
      healthy: () => acceptsConnections(port),
    })
    stop.push(() => server.stop())
    const address = `redis://127.0.0.1:${port}`
    await writeFile(join(dir, 'passwords.json'), passwords.replace('redis://redis:6379', address))
    await start('redis', [], {
      REDIS_ADDR: address,
      REDIS_USER: 'monitor',
      REDIS_PASSWORD_FILE: join(dir, 'passwords.json'),
      REDIS_EXPORTER_CONFIG_COMMAND: '-',
    })
  }

  async function readPostgres(): Promise<void> {
    const database = await testDatabase()
    stop.push(async () => database[Symbol.asyncDispose]())
    const [password, slot] = [randomUUID(), `slot_${process.pid}`]
    await grantMonitoring(database.adminUrl, password)
    const owner = new pg.Client({ connectionString: database.adminUrl })
    await owner.connect()
    await owner.query('select pg_create_physical_replication_slot($1, true)', [slot])
    stop.push(async () => {
      await owner.query('select pg_drop_replication_slot($1)', [slot])
      await owner.end()
    })
    const { host, pathname } = new URL(database.adminUrl)
    await writeFile(join(dir, 'password'), `${password}\n`)
    await start('postgres', [], {
      DATA_SOURCE_URI: `${host}${pathname}?sslmode=disable`,
      DATA_SOURCE_USER: 'prelude_monitor',
      DATA_SOURCE_PASS_FILE: join(dir, 'password'),
    })
  }

  test('each reaches its server', () => {
    expect(metrics['postgres']).toMatch(/^pg_up 1$/m)
    expect(metrics['redis']).toMatch(/^redis_up 1$/m)
  })

  test.for([...asked])('%s is there', (name) => {
    expect(Object.values(metrics).join('\n')).toMatch(new RegExp(`^${name}[{ ]`, 'm'))
  })
})
