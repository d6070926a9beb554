import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { newId, Unavailable } from '@prelude/platform'
import type { FastifyInstance } from 'fastify'
import { eventually } from '@prelude/platform/eventually'
import { beforeEach, expect, test } from 'vitest'
import { STALLED_AFTER_MS } from '../src/api/plugins/stalled.ts'
import { creditsStub, songOf, songsStub } from './stand-ins.ts'
import type { Claims } from './identity-stand-in.ts'
import { ADA, type Browser, EVE, standingClock, startGateway, uidOf } from './start-gateway.ts'
import type { KeyValue } from '../src/api/key-value/port.ts'

/** What one person may take, so that there is enough for the others. */

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

/** It stands at the beginning of a day: windows of minutes and days begin when a test says so. */
const MIDNIGHT = Date.UTC(2026, 0, 2)
const clock = standingClock(MIDNIGHT)
const at = (ms: number): void => clock.at(MIDNIGHT + ms)
beforeEach(() => at(0))

const LIMITED = { clock, config: { rateLimits: true } }

const statusesOf = async (answers: readonly Promise<Response>[]): Promise<number[]> =>
  (await Promise.all(answers)).map(({ status }) => status)
const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make)

test('a person may search 120 times a minute; lists without a phrase are not counted', async () => {
  await using gateway = await startGateway({ ...LIMITED, services: { songs: songsStub().routes } })
  const ada = await gateway.signIn(ADA)
  const search = (browser: Browser) => browser.get('/api/songs?q=la&status=ready')
  for (let n = 0; n < 120; n++) expect((await search(ada)).status).toBe(200)
  const refused = await search(ada)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
  expect(await statusesOf([ada.get('/api/songs'), ada.get('/api/songs?q=')])).toEqual([200, 200])
  expect((await search(await gateway.signIn(EVE))).status).toBe(200)
  at(MINUTE_MS)
  expect((await search(ada)).status).toBe(200)
})

/** Answers lists when the test says so. */
function slowSongs() {
  const { songs, routes } = songsStub()
  const released = Promise.withResolvers<void>()
  let searches = 0
  return {
    songs,
    released,
    searches: () => searches,
    routes: (app: FastifyInstance): void => {
      app.addHook('preHandler', async (request) => {
        if (!request.url.includes('q=')) return
        searches++
        await released.promise
      })
      routes(app)
    },
  }
}

test('a person has two concurrent searches, over all browsers; a finished one makes room', async () => {
  const songs = slowSongs()
  await using gateway = await startGateway({ ...LIMITED, services: { songs: songs.routes } })
  const [ada, phone] = [await gateway.signIn(ADA), await gateway.signIn(ADA)]
  const running = [ada, phone].map((browser) => browser.get('/api/songs?q=la'))
  await eventually(() => expect(songs.searches()).toBe(2))
  expect(await statusesOf([ada.get('/api/songs?q=la'), ada.get('/api/songs')])).toEqual([429, 200])
  songs.released.resolve()
  expect(await statusesOf(running)).toEqual([200, 200])
  expect((await ada.get('/api/songs?q=la')).status).toBe(200)
})

test.each([true, false])(
  'a person has two drawn or packed answers at once, with limits (%s) and without; one that is cancelled makes room',
  async (rateLimits) => {
    const { songs, routes } = songsStub()
    const id = newId()
    songs.set(id, songOf({ id, uid: uidOf(ADA), status: 'ready' }))
    const storage = (app: FastifyInstance): void => {
      app.post('/zip', async (_request, reply) => {
        const endless = new Readable({ read: () => {} })
        endless.push('PK')
        return reply.type('application/zip').send(endless)
      })
    }
    const config = { rateLimits }
    await using gateway = await startGateway({ clock, config, services: { songs: routes, storage } })
    const [ada, phone, eve] = [
      await gateway.signIn(ADA),
      await gateway.signIn(ADA),
      await gateway.signIn(EVE),
    ]
    const leaving = new AbortController()
    const zip = `/api/songs/${id}/download`
    const csv = '/api/credits/entries?format=csv'
    const open: Response[] = [] // what is not held here is collected, which ends the answer
    const begin = async (by: Browser, init?: Parameters<Browser['send']>[1]): Promise<number> =>
      open[open.push(await by.send(zip, init)) - 1]!.status
    expect([await begin(ada), await begin(phone, { signal: leaving.signal })]).toEqual([200, 200])
    const others = [zip, csv, '/api/account/export', `/api/songs/${id}/certificate.pdf`]
    for (const path of others) {
      const refused = await ada.get(path)
      expect([path, refused.status, refused.headers.get('retry-after')]).toEqual([path, 429, '10'])
    }
    // neither the pages of the statement nor other people wait for them
    expect(await statusesOf([ada.get('/api/credits/entries'), eve.get(csv)])).not.toContain(429)
    leaving.abort()
    await eventually(async () => expect(await begin(ada)).toBe(200))
    expect(await begin(ada)).toBe(429)
    for (const { body } of open) body?.cancel().catch(() => {})
  },
)

/** Songs of anybody whose audio begins and does not end. */
function endlessAudio(bytes: number) {
  const { songs, routes } = songsStub()
  let open = 0
  const storage = (app: FastifyInstance): void => {
    app.get('/audio', async ({ method }, reply) => {
      if (method === 'HEAD') return reply.send()
      const endless = new Readable({ read() {} })
      endless.push(Buffer.alloc(bytes))
      open++
      endless.once('close', () => open--)
      return reply.type('audio/mpeg').send(endless)
    })
  }
  const playOf = (claims: Claims): string => {
    const id = newId()
    const ready = { status: 'ready', downloadUrl1: '/1', storagePath1: 'songs/s/version1.mp3' } as const
    songs.set(id, songOf({ id, uid: uidOf(claims), ...ready }))
    return `/api/songs/${id}/versions/1`
  }
  return { services: { songs: routes, storage }, playOf, open: () => open }
}

test('a person plays 12 songs at once, an address 60, also without limits; one that ends makes room', async () => {
  const audio = endlessAudio(1)
  await using gateway = await startGateway({
    services: audio.services,
    config: { rateLimits: false, trustedProxyHops: 1 },
  })
  const people = await Promise.all(
    Array.from({ length: 6 }, async (_, n) => {
      const claims = { ...EVE, sub: `listener ${n}`, email: `listener${n}@example.org` }
      return { browser: await gateway.signIn(claims), song: audio.playOf(claims) }
    }),
  )
  let leaving = new AbortController()
  const answers: Response[] = [] // one that is garbage collected is cancelled
  const play = async ({ browser, song }: (typeof people)[number], address = '203.0.113.7') => {
    const headers = { 'x-forwarded-for': address }
    const answer = await browser.send(song, { headers, signal: leaving.signal })
    answers.push(answer)
    return answer.status
  }
  const [first, , , , , sixth] = people
  if (!first || !sixth) throw new Error('nobody plays')
  for (const person of people.slice(0, 5))
    expect(new Set(await Promise.all(times(12, () => play(person))))).toEqual(new Set([200]))
  expect(audio.open()).toBe(60)
  expect(await Promise.all([play(first, '203.0.113.8'), play(sixth)])).toEqual([429, 429])
  expect(await play(sixth, '203.0.113.8')).toBe(200)
  expect((await first.browser.send(first.song, { method: 'HEAD' })).status).toBe(200)
  leaving.abort()
  await eventually(() => expect(audio.open()).toBe(0))
  leaving = new AbortController()
  await eventually(async () => expect(await play(first)).toBe(200))
  leaving.abort()
})

test('while the key-value store is down a person still plays 12 songs at once', async () => {
  const audio = endlessAudio(1)
  let leases = 0
  const failing = (real: KeyValue): KeyValue => ({
    ...real,
    lease: async () => {
      leases++
      throw new Unavailable('the key-value store', 'away')
    },
  })
  await using gateway = await startGateway({ services: audio.services, kv: failing })
  const ada = await gateway.signIn(ADA)
  const leaving = new AbortController()
  const answers = await Promise.all(times(20, () => ada.send(audio.playOf(ADA), { signal: leaving.signal })))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(12)
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(8)
  expect(leases).toBe(12) // those beyond do not reach the store
  leaving.abort()
})

test('a lease ends after the renewal that is under way when its answer ends', async () => {
  const audio = endlessAudio(1)
  const renewal = Promise.withResolvers<void>()
  const done: string[] = []
  let leases = 0
  const slow = (real: KeyValue): KeyValue => ({
    ...real,
    lease: async (...lease) => {
      if (leases++ > 0) await renewal.promise
      return real.lease(...lease).finally(() => done.push('leased'))
    },
    endLease: (...lease) => real.endLease(...lease).finally(() => done.push('ended')),
  })
  await using gateway = await startGateway({ services: audio.services, kv: slow })
  const ada = await gateway.signIn(ADA)
  const leaving = new AbortController()
  await ada.send(audio.playOf(ADA), { signal: leaving.signal })
  gateway.clock.pass(20_000)
  await eventually(() => expect(leases).toBe(2))
  leaving.abort()
  await eventually(() => expect(audio.open()).toBe(0))
  renewal.resolve()
  await eventually(() => expect(done).toHaveLength(3))
  expect(done).toEqual(['leased', 'leased', 'ended'])
})

test('an answer of which nothing is read ends; one that has nothing to send goes on', async () => {
  const audio = endlessAudio(16 * 1024 * 1024) // more than sockets take
  await using gateway = await startGateway({ services: audio.services, config: { stalledAfterMs: 300 } })
  const ada = await gateway.signIn(ADA)
  const live = await ada.get('/api/live')
  const reader = live.body?.getReader()
  await reader?.read()
  const socket = connect(gateway.port, '127.0.0.1').pause()
  const cookie = [...ada.cookies].map((pair) => pair.join('=')).join('; ')
  socket.write(`GET ${audio.playOf(ADA)} HTTP/1.1\r\nhost: x\r\ncookie: ${cookie}\r\n\r\n`)
  await eventually(() => expect(audio.open()).toBe(1))
  await eventually(() => expect(audio.open()).toBe(0))
  socket.destroy()
  const next = reader?.read()
  gateway.clock.pass(25_000)
  expect(new TextDecoder().decode((await next)?.value)).toContain('still here')
})

/** Bytes that a reader takes from full sockets before the writer can write again. */
async function longestStep(): Promise<number> {
  let written = 0
  const server = createServer((writer) => {
    const write = (): void =>
      void writer.write(Buffer.alloc(64 * 1024), (error) => {
        written++
        if (!error) write()
      })
    writer.on('error', () => {})
    write()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const reader = connect((server.address() as AddressInfo).port, '127.0.0.1').pause()
  await once(reader, 'connect')
  const steps = [0]
  for (let read = 0; read < 16 * 1024 * 1024;) {
    const before = written
    const bytes = (reader.read() as Buffer | null)?.length ?? 0
    read += bytes
    await setImmediate()
    if (written === before) steps.push((steps.pop() ?? 0) + bytes)
    else steps.push(0)
  }
  reader.destroy()
  server.close()
  return Math.max(...steps)
}

test('a player that reads as slowly as it plays makes progress before its answer would end', async () => {
  const [bytesPerSecond, longest] = [16_000, await longestStep()]
  expect((longest / bytesPerSecond) * 1000).toBeLessThan(STALLED_AFTER_MS)
})

test('an archive that fails makes room', async () => {
  await using gateway = await startGateway({ ...LIMITED, services: { credits: creditsStub().routes } })
  const ada = await gateway.signIn(ADA)
  for (let n = 0; n < 5; n++) expect((await ada.get('/api/account/export')).status).toBe(503)
})

test('a person may submit 100 songs a day, whatever becomes of them; what their minute refuses does not count', async () => {
  await using gateway = await startGateway({ ...LIMITED, services: { songs: songsStub().routes } })
  const ada = await gateway.signIn(ADA)
  const submit = () => ada.post('/api/songs', { lyrics: 'la', style: 'folk' })
  for (let minute = 0; minute < 4; minute++) {
    at(minute * MINUTE_MS)
    const answers = await Promise.all(times(minute < 3 ? 35 : 10, submit))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(minute < 3 ? 30 : 10)
    for (const { headers } of answers.filter(({ status }) => status === 429))
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60)
  }
  at(4 * MINUTE_MS)
  const refused = await submit()
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, String(24 * 3600 - 240)])
  expect((await ada.post('/api/auth/logout-everywhere')).status).toBe(204)
  at(DAY_MS)
  expect((await submit()).status).toBe(201)
})

test('services receive how many requests may wait and checkouts be open; without limits any number may', async () => {
  const bodies: object[] = []
  const songs = (app: FastifyInstance): void => {
    app.addHook('preHandler', async (request) => void bodies.push(request.body as object))
    songsStub().routes(app)
  }
  const payments = (app: FastifyInstance): void => {
    app.put('/checkouts/:id', async ({ body }) => {
      bodies.push(body as object)
      return { url: 'https://checkout.test', id: newId() }
    })
  }
  for (const rateLimits of [true, false]) {
    await using gateway = await startGateway({ config: { rateLimits }, services: { songs, payments } })
    const ada = await gateway.signIn(ADA)
    expect((await ada.post('/api/songs', { lyrics: 'la', style: 'folk' })).status).toBe(201)
    expect((await ada.post('/api/payments', { amount: 25 })).status).toBe(200)
  }
  expect(bodies).toEqual([
    expect.objectContaining({ mostWaiting: 20 }),
    expect.objectContaining({ mostOpen: 10 }),
    expect.not.objectContaining({ mostWaiting: expect.anything() }),
    expect.not.objectContaining({ mostOpen: expect.anything() }),
  ])
})

test('without limits nobody is refused', async () => {
  const songs = slowSongs()
  await using gateway = await startGateway({ services: { songs: songs.routes } })
  const ada = await gateway.signIn(ADA)
  songs.released.resolve()
  const statuses = await statusesOf(times(40, () => ada.get('/api/songs?q=la')))
  expect(statuses).not.toContain(429)
})
