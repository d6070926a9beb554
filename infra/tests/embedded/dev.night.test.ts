import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '@prelude/platform/eventually'
import { expect, onTestFinished, test } from 'vitest'
import type { Endpoints } from '../../embedded/endpoints.ts'
import { copyCheckout } from '../support/copy-checkout.ts'
import { freePort } from '../support/product-process.ts'

test('make dev restarts the services when a file of theirs changes, behind a page that stays', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'prelude-dev-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const [checkout, dataDir] = [join(folder, 'checkout'), join(folder, 'data')]
  await copyCheckout(checkout)
  const [port, pagePort] = [await freePort(), await freePort()]
  const env = { PORT: String(port), PAGE_PORT: String(pagePort), DATA_DIR: dataDir, LOG_LEVEL: 'warn' }
  const dev = spawn(process.execPath, ['infra/embedded/dev.ts'], {
    cwd: checkout,
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
  await utimes(join(checkout, 'services/songs/src/index.ts'), new Date(), new Date())
  await eventually(async () => expect(await answering()).not.toBe(first))

  dev.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
  for (const address of [page, `http://localhost:${port}`])
    await expect(fetch(address)).rejects.toThrow('fetch failed')
  await expect(endpoints()).rejects.toThrow('ENOENT')
})
