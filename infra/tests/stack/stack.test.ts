import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Share, Song } from '@prelude/contracts'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { freePort, runningIn, startOf } from '../../native/server-process.ts'
import { whyMissing } from '../support/with-server.ts'
import { fulfil, MP3 } from '../support/audio-files.ts'
import { startCheckout } from '../support/checkout.ts'
import { press } from '../support/checkout-page.ts'
import { caller, mail, somebody, type Somebody, unlockedOperator } from '../support/callers.ts'
import { type ProductProcess, runningProduct } from '../support/product-process.ts'
import { obtainServers } from '../../stack/servers.ts'
import { runCommand } from '../support/run-command.ts'

/** `make stack` without containers: a change through one gateway and the live stream at another, a crash, an update, a restart. */

const ROOT = resolve(import.meta.dirname, '../../..')
const POLL = { timeout: 30_000, interval: 50 }

let dir = ''
let product: ProductProcess
let environment: NodeJS.ProcessEnv

const stack = (command: string): string => runCommand(environment, ['infra/stack/main.ts', command])

/** The public endpoint of one gateway. */
function at(gateway: number, { cookie }: Somebody) {
  const web = product.endpoints.gateways?.[gateway] ?? ''
  return { web, call: caller({ endpoints: { ...product.endpoints, web } }, cookie) }
}

interface Stream {
  readonly headers: Headers
  /** What it has received so far. */
  text(): string
  close(): void
}

/** Opens a person's live stream at one gateway. */
async function listen(gateway: number, person: Somebody): Promise<Stream> {
  const ending = new AbortController()
  const { web } = at(gateway, person)
  const answer = await fetch(`${web}/api/live`, {
    headers: { cookie: person.cookie },
    signal: ending.signal,
  })
  expect(answer.status).toBe(200)
  let text = ''
  const reading = async (): Promise<void> => {
    for await (const piece of answer.body!.pipeThrough(new TextDecoderStream())) text += piece
  }
  reading().catch(() => {}) // it is cut off at the end
  await vi.waitFor(() => expect(text).toContain('event: ready'), POLL)
  return { headers: answer.headers, text: () => text, close: () => ending.abort() }
}

const missing = await whyMissing('stack of servers', obtainServers)

describe.skipIf(missing !== null)('the stack without containers', { timeout: 400_000 }, () => {
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'prelude-stack-'))
    environment = {
      ...process.env,
      STACK: 'native',
      STACK_DIR: dir,
      PORT: String(await freePort()),
      RATE_LIMITS: 'off',
    }
    stack('up')
    product = await runningProduct(dir)
  }, 300_000)
  afterAll(async () => {
    stack('down')
    await rm(dir, { recursive: true, force: true })
  }, 120_000)

  test('a change made through one gateway reaches a live stream at the other', async () => {
    const ada = await somebody(product, { name: 'Ada Obi' })
    const stream = await listen(0, ada)
    const { body: song } = await at(1, ada).call<Song>('POST', '/api/songs', {
      json: { lyrics: 'Carry me over', style: 'Highlife' },
    })
    await vi.waitFor(
      () => expect(stream.text()).toMatch(new RegExp(`"id":"${song.id}".*"charge":"declined"`)),
      POLL,
    )
    await press(await startCheckout(ada, 25), 'pay')
    await vi.waitFor(
      () => expect(stream.text()).toMatch(new RegExp(`"id":"${song.id}".*"charge":"charged"`)),
      POLL,
    )

    const operator = await unlockedOperator(product)
    expect((await fulfil({ ...operator, call: at(0, operator).call }, song.id)).status).toBe(200)
    await vi.waitFor(
      () => expect(stream.text()).toMatch(new RegExp(`"id":"${song.id}".*"status":"ready"`)),
      POLL,
    )
    const audio = await at(1, ada).call('GET', `/api/songs/${song.id}/versions/1`)
    expect(audio.bytes.equals(MP3)).toBe(true)
    await mail(product, ada.email, /song is ready/i)

    // a link that is ended at one gateway is dead at the other at once
    const { body: share } = await at(0, ada).call<Share>('POST', `/api/songs/${song.id}/shares`)
    const link = `${at(1, ada).web}${new URL(share.url).pathname.replace('/s/', '/api/shares/')}/versions/1`
    expect((await fetch(link)).status).toBe(200)
    expect((await at(0, ada).call('DELETE', `/api/shares/${share.id}`)).status).toBe(204)
    expect((await fetch(link)).status).toBe(410)
    stream.close()
    expect(product.checkInvariants()).toContain(' 0 broken')
  })

  test('every stream begins with its headers and `ready` in the middle of a burst of events', async () => {
    const json = { lyrics: 'Carry me over', style: 'Highlife' }
    const people = await Promise.all([1, 2, 3, 4].map((n) => somebody(product, { name: `Ada ${n}` })))
    const closes: (() => void)[] = []
    let isFlooding = true
    const flood = async ({ call }: Somebody): Promise<void> => {
      while (isFlooding) expect((await call('POST', '/api/songs', { json })).status).toBe(201)
    }
    const flooding = Promise.all(people.map(flood))
    try {
      for (const person of people)
        for (let n = 0; n < 10; n++) {
          const { headers, text, close } = await listen(n % 2, person)
          closes.push(close)
          expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
          expect(headers.get('x-content-type-options')).toBe('nosniff')
          expect(text()).toMatch(/^event: ready\n/)
          await vi.waitFor(() => expect(text()).toContain('event: song\n'), POLL)
        }
    } finally {
      isFlooding = false
      await flooding
      closes.forEach((close) => close())
    }
  })

  test('a killed service is started again, and songs accepted meanwhile are decided', async () => {
    const ada = await somebody(product, { name: 'Ada Obi' })
    const credits = (await runningIn(join(dir, 'credits-1'))) ?? 0
    process.kill(credits, 'SIGKILL')
    const { status, body } = await ada.call<Song>('POST', '/api/songs', {
      json: { lyrics: 'Carry me over', style: 'Highlife' },
    })
    expect(status).toBe(201)
    await vi.waitFor(async () => {
      const { body: song } = await ada.call<Song>('GET', `/api/songs/${body.id}`)
      expect(song.charge).toBe('declined')
    }, POLL)
    expect(await runningIn(join(dir, 'credits-1'))).not.toBe(credits)
  })

  test('an update replaces every process and drops no request', async () => {
    const ada = await somebody(product, { name: 'Ada Obi' })
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
    const updating = promisify(execFile)(process.execPath, args, { cwd: ROOT, env: environment })
    await updating.finally(() => (going = false))
    await using
    expect(new Set(statuses)).toEqual(new Set([200, 201]))
    const after = await servicePids()
    expect(before.length).toBeGreaterThan(9)
    expect(after.filter((pid) => pid === null || before.includes(pid))).toEqual([])
    expect(product.checkInvariants()).toContain(' 0 broken')
  })

  test('a second start changes nothing and says so; a stop leaves no process and keeps the data', async () => {
    const running = await pids()
    expect(running.length).toBeGreaterThan(9)
    expect(stack('up')).toContain('It runs already.')
    expect(await pids()).toEqual(running)
    const ada = await somebody(product, { name: 'Ada Obi' })
    await ada.call('POST', '/api/songs', { json: { lyrics: 'kept', style: 'Folk' } })

    stack('down')
    expect(running.filter((pid) => startOf(pid) !== '')).toEqual([])
    stack('up')
    product = await runningProduct(dir)
    const { body } = await ada.call<{ items: Song[] }>('GET', '/api/songs')
    expect(body.items.map(({ lyrics }) => lyrics)).toEqual(['kept'])
  })
})

const servicePids = (): Promise<(number | null)[]> =>
  Promise.all(
    Object.keys(product.endpoints.health)
      .filter((name) => /-\d+$/.test(name))
      .map((name) => runningIn(join(dir, name))),
  )

async function pids(): Promise<number[]> {
  const found: number[] = []
  for (const name of ['.', ...(await readdir(dir))]) {
    const pid = await runningIn(join(dir, name))
    if (pid !== null) found.push(pid)
  }
  const postmaster = await readFile(join(dir, 'postgres/cluster/postmaster.pid'), 'utf8')
  return [...found, Number(postmaster.split('\n')[0])]
}
