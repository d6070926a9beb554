import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Share, Song } from '@prelude/contracts'
import { Redis } from 'ioredis'
import { describe, expect, test, vi } from 'vitest'
import { runningServers } from '../../embedded/running-servers.ts'
import { runningIn } from '../../native/server-process.ts'
import { whyMissing } from '../support/with-server.ts'
import { fulfil, MP3 } from '../support/audio-files.ts'
import { startCheckout } from '../support/checkout.ts'
import { press } from '../support/checkout-page.ts'
import {
  caller,
  giveCredits,
  mail,
  requestSong,
  somebody,
  type Somebody,
  unlockedOperator,
} from '../support/callers.ts'
import { obtainServers } from '../../stack/servers.ts'
import { type NativeStack, nativeStack } from './native-stack.ts'

/** `make stack` without containers: a change through one gateway and the live stream at another, and a crash. */

const POLL = { timeout: 30_000, interval: 50 }

let stack: NativeStack

/** The public endpoint of one gateway. */
function at(gateway: number, { cookie }: Somebody) {
  const web = stack.product.endpoints.gateways?.[gateway] ?? ''
  return { web, call: caller({ endpoints: { ...stack.product.endpoints, web } }, cookie) }
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
  stack = nativeStack()

  test('a change made through one gateway reaches a live stream at the other', async () => {
    const ada = await somebody(stack.product, { name: 'Ada Obi' })
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

    const operator = await unlockedOperator(stack.product)
    expect((await fulfil({ ...operator, call: at(0, operator).call }, song.id)).status).toBe(200)
    await vi.waitFor(
      () => expect(stream.text()).toMatch(new RegExp(`"id":"${song.id}".*"status":"ready"`)),
      POLL,
    )
    const audio = await at(1, ada).call('GET', `/api/songs/${song.id}/versions/1`)
    expect(audio.bytes.equals(MP3)).toBe(true)
    await mail(stack.product, ada.email, /song is ready/i)

    // a link that is ended at one gateway is dead at the other at once
    const { body: share } = await at(0, ada).call<Share>('POST', `/api/songs/${song.id}/shares`)
    const link = `${at(1, ada).web}${new URL(share.url).pathname.replace('/s/', '/api/shares/')}/versions/1`
    expect((await fetch(link)).status).toBe(200)
    expect((await at(0, ada).call('DELETE', `/api/shares/${share.id}`)).status).toBe(204)
    expect((await fetch(link)).status).toBe(410)
    stream.close()
    expect(stack.product.checkInvariants()).toContain(' 0 broken')
  })

  test('every stream begins with its headers and `ready` in the middle of a burst of events', async () => {
    const json = { lyrics: 'Carry me over', style: 'Highlife' }
    const people = await Promise.all([1, 2, 3, 4].map((n) => somebody(stack.product, { name: `Ada ${n}` })))
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

  test('versions play and are saved while the storage with the uploads is gone', async () => {
    const ada = await somebody(stack.product, { name: 'Ada Obi' })
    const operator = await unlockedOperator(stack.product)
    await giveCredits(operator, ada.uid, 10)
    const song = await requestSong(ada)
    expect((await fulfil(operator, song.id)).status).toBe(200)
    const uploads = (await runningIn(join(stack.dir, 'storage-1'))) ?? 0
    process.kill(uploads, 'SIGSTOP')
    try {
      // once the load balancer has noticed it, none fails
      await vi.waitFor(async () => {
        for (let n = 0; n < 20; n++) {
          const audio = await ada.call('GET', `/api/songs/${song.id}/versions/1`)
          expect(audio.bytes.equals(MP3)).toBe(true)
        }
      }, POLL)
      expect((await ada.call('GET', `/api/songs/${song.id}/download`)).status).toBe(200)
    } finally {
      process.kill(uploads, 'SIGCONT')
    }
  })

  test('while the memory of Redis is full a request that writes to it is 503, one that only reads is served', async () => {
    const ada = await somebody(stack.product, { name: 'Ada Obi' })
    const signIn = () => fetch(`${stack.product.endpoints.web}/api/auth/login`, { redirect: 'manual' })
    const redis = new Redis(runningServers(stack.dir)?.kvUrl ?? '')
    await redis.config('SET', 'maxmemory', '1')
    try {
      expect((await signIn()).status).toBe(503)
      expect((await ada.call('GET', '/api/songs')).status).toBe(200)
    } finally {
      await redis.config('SET', 'maxmemory', '0')
      await redis.quit()
    }
    expect((await signIn()).status).toBe(302)
  })

  test('no address of a server contains the secret that services sign with', async () => {
    const kept = (name: string) => readFile(join(stack.dir, name), 'utf8')
    const { internal } = JSON.parse(await kept('secrets.json')) as { internal: string }
    expect(await kept('servers.json')).not.toContain(internal)
  })

  test('a killed service is started again, and songs accepted meanwhile are decided', async () => {
    const ada = await somebody(stack.product, { name: 'Ada Obi' })
    const credits = (await runningIn(join(stack.dir, 'credits-1'))) ?? 0
    process.kill(credits, 'SIGKILL')
    const { status, body } = await ada.call<Song>('POST', '/api/songs', {
      json: { lyrics: 'Carry me over', style: 'Highlife' },
    })
    expect(status).toBe(201)
    await vi.waitFor(async () => {
      const { body: song } = await ada.call<Song>('GET', `/api/songs/${body.id}`)
      expect(song.charge).toBe('declined')
    }, POLL)
    expect(await runningIn(join(stack.dir, 'credits-1'))).not.toBe(credits)
  })
})
