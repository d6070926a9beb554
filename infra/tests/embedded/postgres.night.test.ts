import { spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { once } from 'node:events'
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  rmdir,
  stat,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { ask } from './cluster-folder.ts'
import { startPostgres } from '../../embedded/postgres.ts'
import { rotateLog } from '../../embedded/postgres-log.ts'
import { StartError } from '../../embedded/start-error.ts'

/** One cluster for all tests: initdb takes long. */
let dataDir: string

beforeAll(async () => {
  dataDir = join(await mkdtemp(join(tmpdir(), 'prelude-postgres-')), 'data')
})

afterAll(() => rm(dirname(dataDir), { recursive: true, force: true }))

test('its log is a file a day, kept for 14 days, and the server goes on writing after a rotation', async () => {
  const server = await startPostgres({ dataDir, durable: false })
  onTestFinished(() => server.stop())
  const log = (suffix = ''): Promise<string> => readFile(join(dataDir, `postgres.log${suffix}`), 'utf8')
  const fail = (name: string): Promise<unknown> =>
    expect(ask(server.adminUrl, `select ${name}`)).rejects.toThrow(name)
  await fail('before_rotation')
  await rotateLog(dataDir, Date.UTC(2030, 0, 1))
  await rotateLog(dataDir, Date.UTC(2030, 0, 15)) // with nothing to move
  expect(await log('.2030-01-01')).toContain('before_rotation')
  await fail('after_rotation')
  expect(await log()).toMatch(/^\d{4}-.*after_rotation/)
  await rotateLog(dataDir, Date.UTC(2030, 0, 16))
  const files = (await readdir(dataDir)).filter((name) => name.startsWith('postgres.log'))
  expect(files.toSorted()).toEqual(['postgres.log', 'postgres.log.2030-01-16'])
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

test("left-over files with another program's process id do not stop a start, and that program keeps running", async () => {
  const first = await startPostgres({ dataDir, durable: false })
  await first.stop()
  const { uid, gid } = await stat(join(dataDir, 'cluster'))
  const other = spawn('sleep', ['60'], { uid, gid, cwd: '/' }) // PostgreSQL checks only processes of its own user
  onTestFinished(() => void other.kill())
  await writeFile(join(dataDir, 'cluster', 'postmaster.pid'), `${other.pid}\n${dataDir}/cluster\n`)
  await writeFile(
    join(dataDir, 'cluster', `.s.PGSQL.${first.port}.lock`),
    `${other.pid}\n${dataDir}/cluster\n`,
  )
  const server = await startPostgres({ dataDir, durable: false })
  await server.stop()
  expect(other.exitCode).toBeNull()
  expect(other.signalCode).toBeNull()
})

test('a port that is taken meanwhile is replaced by another, unless it was requested', async () => {
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

const FROM_WHERE = "select coalesce(host(inet_client_addr()), 'socket') as from"

/** The data folder under another name. */
async function alias(name: string): Promise<string> {
  const link = join(dirname(dataDir), name)
  await symlink(dataDir, link)
  onTestFinished(() => unlink(link))
  return link
}

test.each(['data', "Ada's é+%20 folder"])(
  'this process connects by the socket and others by the port, in a folder called %s',
  async (name) => {
    const server = await startPostgres({
      dataDir: name === 'data' ? dataDir : await alias(name),
      durable: false,
    })
    onTestFinished(() => server.stop())
    expect(await ask(server.localUrl, FROM_WHERE)).toEqual([{ from: 'socket' }])
    expect(await ask(server.adminUrl, FROM_WHERE)).toEqual([{ from: '127.0.0.1' }])
    const guess = new URL(server.localUrl)
    guess.password = 'guess'
    await expect(ask(guess.href, 'select 1')).rejects.toThrow(/password authentication failed/)
  },
)

test('with a path too long for a socket this process connects by the port', async () => {
  const server = await startPostgres({ dataDir: await alias('long'.repeat(25)), durable: false })
  onTestFinished(() => server.stop())
  expect(server.localUrl).toBe(server.adminUrl)
  expect(await ask(server.localUrl, FROM_WHERE)).toEqual([{ from: '127.0.0.1' }])
})

test('the server runs without a socket where none can be made, unless one is required', async () => {
  const first = await startPostgres({ dataDir, durable: false })
  await first.stop()
  const socketPath = join(dataDir, 'cluster', `.s.PGSQL.${first.port}`)
  await mkdir(socketPath)
  onTestFinished(() => rmdir(socketPath))
  await expect(startPostgres({ dataDir, durable: false, socket: true })).rejects.toThrow(
    /could not create any Unix-domain sockets/,
  )
  const second = await startPostgres({ dataDir, durable: false })
  onTestFinished(() => second.stop())
  expect(second.localUrl).toBe(first.adminUrl)
  expect(await ask(second.localUrl, 'select 1 as one')).toEqual([{ one: 1 }])
})

test('a cluster of a version without sockets gets one, and keeps the rules that its owner added', async () => {
  await (await startPostgres({ dataDir, durable: false })).stop()
  const file = join(dataDir, 'cluster', 'pg_hba.conf')
  const rules = 'host all all 127.0.0.1/32 scram-sha-256\nhost replication all 127.0.0.1/32 scram-sha-256\n'
  await writeFile(file, rules)
  for (const _ of ['first', 'second']) {
    const server = await startPostgres({ dataDir, durable: false })
    expect(await ask(server.localUrl, FROM_WHERE)).toEqual([{ from: 'socket' }])
    await server.stop()
  }
  expect(await readFile(file, 'utf8')).toBe(`${rules}local all all scram-sha-256\n`)
})

test('as root the server runs as another user, in a folder that this user cannot enter', async ({ skip }) => {
  skip(process.getuid?.() !== 0, 'these tests do not run as root')
  expect((await stat(dirname(dataDir))).mode & 0o777).toBe(0o700)
  const server = await startPostgres({ dataDir, durable: false })
  onTestFinished(() => server.stop())
  expect((await stat(join(dataDir, 'cluster'))).uid).not.toBe(0)
  expect(await ask(server.adminUrl, 'select 1 as one')).toEqual([{ one: 1 }])
  expect(await ask(server.localUrl, FROM_WHERE)).toEqual([{ from: 'socket' }])
})
