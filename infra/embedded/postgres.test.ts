import { createServer } from 'node:net'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { otherProcess } from '../testing/other-process.ts'
import { startPostgres } from './postgres.ts'
import { StartError } from './start-error.ts'

/** One cluster for all: making one is what takes long. */
let dataDir: string

beforeAll(async () => {
  dataDir = join(await mkdtemp(join(tmpdir(), 'prelude-postgres-')), 'data')
})

afterAll(() => rm(dirname(dataDir), { recursive: true, force: true }))

async function ask<T>(url: string, sql: string): Promise<T[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query(sql)).rows as T[]
  } finally {
    await client.end()
  }
}

const serverId = async () =>
  (await readFile(join(dataDir, 'cluster', 'postmaster.pid'), 'utf8')).split('\n')[0]

test('what was written is there after a restart, on the same port, with safe settings', async () => {
  const first = await startPostgres({ dataDir })
  await ask(first.adminUrl, 'create table song as select 1 as id')
  await first.stop()
  await first.exited
  const second = await startPostgres({ dataDir })
  onTestFinished(() => second.stop())
  expect(second.adminUrl).toBe(first.adminUrl)
  expect(await ask(second.adminUrl, 'select id from song')).toEqual([{ id: 1 }])
  expect(
    await ask(
      second.adminUrl,
      "select name, setting from pg_settings where name in ('fsync', 'synchronous_commit') order by 1",
    ),
  ).toEqual([
    { name: 'fsync', setting: 'on' },
    { name: 'synchronous_commit', setting: 'on' },
  ])
})

test('nobody enters without the password, which only the owner can read', async () => {
  const server = await startPostgres({ dataDir, durable: false })
  onTestFinished(() => server.stop())
  const url = new URL(server.adminUrl)
  expect(await readFile(join(dataDir, 'password'), 'utf8')).toBe(`${url.password}\n`)
  expect((await stat(join(dataDir, 'password'))).mode & 0o077).toBe(0)
  url.password = 'guess'
  await expect(ask(url.href, 'select 1')).rejects.toThrow(/password authentication failed/)
})

test('a lost password is replaced by a new one', async () => {
  const first = await startPostgres({ dataDir, durable: false })
  await first.stop()
  await unlink(join(dataDir, 'password'))
  const second = await startPostgres({ dataDir, durable: false })
  onTestFinished(() => second.stop())
  expect(new URL(second.adminUrl).password).not.toBe(new URL(first.adminUrl).password)
  expect(await ask(second.adminUrl, 'select 1 as one')).toEqual([{ one: 1 }])
})

test('a server left behind by a killed process is replaced, and its commits are kept', async () => {
  const killed = await otherProcess(`
    import { startPostgres } from ${JSON.stringify(new URL('postgres.ts', import.meta.url).href)}
    const server = await startPostgres({ dataDir: ${JSON.stringify(dataDir)} })
    console.log(server.adminUrl)`)
  await ask(killed.said, 'create table kept as select 1 as id')
  await expect(startPostgres({ dataDir })).rejects.toThrow(
    new StartError(
      `A database is already running on ${dataDir} (process ${killed.child.pid}); stop it first.`,
    ),
  )
  await killed.kill()
  const orphan = await serverId()
  const server = await startPostgres({ dataDir })
  onTestFinished(() => server.stop())
  expect(await serverId()).not.toBe(orphan)
  expect(await ask(server.adminUrl, 'select id from kept')).toEqual([{ id: 1 }])
})

test("another program's process id in a left-over postmaster.pid neither confuses nor harms it", async () => {
  await (await startPostgres({ dataDir, durable: false })).stop()
  const other = await otherProcess("console.log('here'); setInterval(() => undefined, 1000)")
  onTestFinished(() => other.kill())
  await writeFile(join(dataDir, 'cluster', 'postmaster.pid'), `${other.child.pid}\n${dataDir}/cluster\n`)
  const server = await startPostgres({ dataDir, durable: false })
  await server.stop()
  expect(other.child.exitCode).toBeNull()
  expect(other.child.signalCode).toBeNull()
})

test('a port taken meanwhile is left to its new owner, unless it was asked for', async () => {
  const first = await startPostgres({ dataDir, durable: false })
  await first.stop()
  const squatter = createServer().listen(first.port, '127.0.0.1')
  await once(squatter, 'listening')
  onTestFinished(() => void squatter.close())
  await expect(startPostgres({ dataDir, durable: false, port: first.port })).rejects.toThrow(
    new StartError(`Port ${first.port} is taken by another program.`),
  )
  const second = await startPostgres({ dataDir, durable: false })
  onTestFinished(() => second.stop())
  expect(second.port).not.toBe(first.port)
})

test.runIf(process.getuid?.() === 0)(
  'as root it runs for another user, in a folder that user cannot enter',
  async () => {
    expect((await stat(dirname(dataDir))).mode & 0o777).toBe(0o700)
    const server = await startPostgres({ dataDir, durable: false })
    onTestFinished(() => server.stop())
    expect((await stat(join(dataDir, 'cluster'))).uid).not.toBe(0)
    expect(await ask(server.adminUrl, 'select 1 as one')).toEqual([{ one: 1 }])
  },
)
