import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readlinkSync, statfsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'

/** What makes the services' tests quick: PostgreSQL as a process, with its files in memory. */

/** The standard output of a new process that runs this source. */
async function run(source: string, env: NodeJS.ProcessEnv): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', source], {
    env,
  })
  return stdout
}
const module = (name: string): string => JSON.stringify(join(import.meta.dirname, name))

test('PostgreSQL of tests is a process of this machine, also where a container engine has its image', async () => {
  const engine = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ OperatingSystem: 'Linux', Id: 'one' }))
  })
  await once(engine.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => engine.close().closeAllConnections())
  const { port } = engine.address() as AddressInfo
  const env = { ...process.env, SERVERS: undefined, DOCKER_HOST: `tcp://127.0.0.1:${port}` }
  const source = `
    import { server } from ${module('real-server.ts')}
    process.stderr.write = (line) => process.stdout.write(line)
    await server('PostgreSQL')`
  expect(await run(source, env)).toBe('PostgreSQL: a real one, as a process of this machine\n')
})

test.skipIf(process.env['SERVERS'] === 'containers')(
  'it keeps its files with the temporary files of tests, and waits for no disk',
  async () => {
    const client = new pg.Client(inject('adminUrl'))
    await client.connect()
    onTestFinished(() => client.end())
    const { rows } = await client.query<Record<'dir' | 'pid' | 'fsync' | 'commits', string>>(
      `select current_setting('data_directory') as dir, pg_backend_pid() as pid, current_setting('fsync') as fsync,
       current_setting('synchronous_commit') as commits`,
    )
    const { dir = '', pid, fsync, commits } = rows[0] ?? {}
    // where it runs as another user, it names its folder by its own working directory
    const folder = dir.startsWith('/proc/self') ? readlinkSync(`/proc/${pid}/cwd`) : dir
    expect(folder.startsWith(join(tmpdir(), 'prelude-native-'))).toBe(true)
    expect([fsync, commits]).toEqual(['off', 'off'])
  },
)

test('temporary files of tests are in memory where it has room, unless TMPDIR says where', async () => {
  const source = `
    import { keepTemporaryFilesInMemory } from ${module('temporary-files.ts')}
    import { tmpdir } from 'node:os'
    keepTemporaryFilesInMemory()
    process.stdout.write(tmpdir())`
  const hasRoom = (): boolean => {
    const { bavail, bsize } = statfsSync('/dev/shm')
    return bavail * bsize > 5 * 1024 ** 3
  }
  if (process.platform === 'linux' && hasRoom())
    expect(await run(source, { ...process.env, TMPDIR: undefined })).toBe('/dev/shm/prelude-tests')
  expect(await run(source, { ...process.env, TMPDIR: '/somewhere' })).toBe('/somewhere')
})
