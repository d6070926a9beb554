import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { eventually } from '@prelude/platform/eventually'
import { expect, onTestFinished, test } from 'vitest'
import type { Endpoints } from '../../embedded/endpoints.ts'
import { freePort } from '../support/product-process.ts'

const ROOT = resolve(import.meta.dirname, '../../..')

test('make dev restarts the services when a file of theirs changes, behind a page that stays', async () => {
  const [dataDir, port, pagePort] = [
    await mkdtemp(join(tmpdir(), 'prelude-dev-')),
    await freePort(),
    await freePort(),
  ]
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
  const env = { PORT: String(port), PAGE_PORT: String(pagePort), DATA_DIR: dataDir, LOG_LEVEL: 'warn' }
  const dev = spawn(join(ROOT, 'node_modules/.bin/node'), ['infra/embedded/dev.ts'], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: 'ignore',
  })
  const ended = once(dev, 'exit')
  onTestFinished(async () => {
    dev.kill('SIGTERM')
    await ended
  })
  const page = `http://localhost:${pagePort}`
  const endpoints = async () =>
    JSON.parse(await readFile(join(dataDir, 'endpoints.json'), 'utf8')) as Endpoints
  /** Of the process that answers a request for the API at the page's address; an error while none does. */
  const answering = async (): Promise<number> => {
    const { web, pid } = await endpoints()
    expect([web, (await fetch(`${page}/api/geo`)).status]).toEqual([page, 200])
    return pid
  }
  const first = await eventually(answering)
  expect(await (await fetch(page)).text()).toContain('/@vite/client')

  // a new time counts as a change: nothing is written
  await utimes(join(ROOT, 'services/songs/src/index.ts'), new Date(), new Date())
  await eventually(async () => expect(await answering()).not.toBe(first))

  dev.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
  for (const address of [page, `http://localhost:${port}`])
    await expect(fetch(address)).rejects.toThrow('fetch failed')
  await expect(endpoints()).rejects.toThrow('ENOENT')
})
