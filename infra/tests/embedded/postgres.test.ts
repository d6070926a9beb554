import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startPostgres } from '../../embedded/postgres.ts'
import { StartError } from '../../embedded/start-error.ts'
import { otherProcess } from '../support/other-process.ts'
import { ask, clusterFolder } from './cluster-folder.ts'

const serverId = async (dataDir: string) =>
  (await readFile(join(dataDir, 'cluster', 'postmaster.pid'), 'utf8')).split('\n')[0]

test('data survives a restart, which keeps the port, with durable settings', async () => {
  const dataDir = await clusterFolder()
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

test('a login needs the password, which only the owner can read', async () => {
  const dataDir = await clusterFolder()
  const server = await startPostgres({ dataDir, durable: false })
  onTestFinished(() => server.stop())
  const url = new URL(server.adminUrl)
  expect(await readFile(join(dataDir, 'password'), 'utf8')).toBe(`${url.password}\n`)
  expect((await stat(join(dataDir, 'password'))).mode & 0o077).toBe(0)
  url.password = 'guess'
  await expect(ask(url.href, 'select 1')).rejects.toThrow(/password authentication failed/)
})

test('a server left behind by a killed process is replaced, and its commits are kept', async () => {
  const dataDir = await clusterFolder()
  const killed = await otherProcess(`
    import { startPostgres } from ${JSON.stringify(new URL('../../embedded/postgres.ts', import.meta.url).href)}
    const server = await startPostgres({ dataDir: ${JSON.stringify(dataDir)} })
    console.log(server.adminUrl)`)
  await ask(killed.line, 'create table kept as select 1 as id')
  await expect(startPostgres({ dataDir })).rejects.toThrow(
    new StartError(
      `A database is already running on ${dataDir} (process ${killed.child.pid}); stop it first.`,
    ),
  )
  await killed.kill()
  const orphan = await serverId(dataDir)
  const server = await startPostgres({ dataDir })
  onTestFinished(() => server.stop())
  expect(await serverId(dataDir)).not.toBe(orphan)
  expect(await ask(server.adminUrl, 'select id from kept')).toEqual([{ id: 1 }])
})
