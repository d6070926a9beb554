import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Song } from '@prelude/contracts'
import { describe, expect, test } from 'vitest'
import { runningIn, startOf } from '../../native/server-process.ts'
import { findServers } from '../../stack/servers.ts'
import { somebody } from '../support/callers.ts'
import { runningProduct } from '../support/product-process.ts'
import { whyMissing } from '../support/with-server.ts'
import { type NativeStack, nativeStack } from './native-stack.ts'

/** `make stack` without containers: an update, and a restart. Both replace some fifteen processes. */

const ROOT = resolve(import.meta.dirname, '../../..')

let stack: NativeStack

const missing = await whyMissing('stack of servers', findServers)

describe.skipIf(missing !== null)('the stack without containers', () => {
  stack = nativeStack()

  test('an update replaces every process and drops no request', async () => {
    const ada = await somebody(stack.product, { name: 'Ada Obi' })
    const before = await servicePids()
    const statuses: number[] = []
    let going = true
    const using = (async () => {
      while (going) {
        const json = { lyrics: 'Carry me over', style: 'Highlife' }
        statuses.push((await ada.call('POST', '/api/songs', { json })).status)
        statuses.push((await ada.call('GET', '/api/songs')).status)
        statuses.push((await ada.call('GET', '/api/credits')).status)
        await delay(20) // leaves the processor to the update
      }
    })()
    const args = ['infra/stack/main.ts', 'update']
    const updating = promisify(execFile)(process.execPath, args, { cwd: ROOT, env: stack.environment })
    await updating.finally(() => (going = false))
    await using
    expect(new Set(statuses)).toEqual(new Set([200, 201]))
    const after = await servicePids()
    expect(before.length).toBeGreaterThan(9)
    expect(after.filter((pid) => pid === null || before.includes(pid))).toEqual([])
    expect(stack.product.checkInvariants()).toContain(' 0 broken')
  })

  test('a second start changes nothing and says so; a stop leaves no process and keeps the data', async () => {
    const running = await pids()
    expect(running.length).toBeGreaterThan(9)
    expect(stack.run('up')).toContain('It runs already.')
    expect(await pids()).toEqual(running)
    const ada = await somebody(stack.product, { name: 'Ada Obi' })
    await ada.call('POST', '/api/songs', { json: { lyrics: 'kept', style: 'Folk' } })

    stack.run('down')
    expect(running.filter((pid) => startOf(pid) !== '')).toEqual([])
    stack.run('up')
    stack.product = await runningProduct(stack.dir)
    const { body } = await ada.call<{ items: Song[] }>('GET', '/api/songs')
    expect(body.items.map(({ lyrics }) => lyrics)).toEqual(['kept'])
  })
})

const servicePids = (): Promise<(number | null)[]> =>
  Promise.all(
    Object.keys(stack.product.endpoints.health)
      .filter((name) => /-\d+$/.test(name))
      .map((name) => runningIn(join(stack.dir, name))),
  )

async function pids(): Promise<number[]> {
  const found: number[] = []
  for (const name of ['.', ...(await readdir(stack.dir))]) {
    const pid = await runningIn(join(stack.dir, name))
    if (pid !== null) found.push(pid)
  }
  const postmaster = await readFile(join(stack.dir, 'postgres/cluster/postmaster.pid'), 'utf8')
  return [...found, Number(postmaster.split('\n')[0])]
}
