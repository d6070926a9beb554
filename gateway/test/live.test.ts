import type { ServerResponse } from 'node:http'
import { eventually } from '@prelude/platform/eventually'
import { afterEach, expect, test } from 'vitest'
import {
  CreditsAdded,
  DebtChanged,
  DraftChanged,
  type EventData,
  type EventDefinition,
  NoticeAdded,
  PaymentUpdated,
  SongRequested,
  SongUpdated,
  TransferOpened,
} from '@prelude/contracts'
import { AppError, newId } from '@prelude/platform'
import fastify, { type FastifyInstance } from 'fastify'
import { creditsStub, draftOf, paymentOf, songOf, songsStub } from './stand-ins.ts'
import { ADA, type Browser, EVE, startGateway, type TestGateway, uidOf } from './start-gateway.ts'
import type { KeyValue } from '../src/api/key-value/port.ts'
import { eventStream, frameOf } from '../src/live/stream.ts'

const songs = songsStub()
const song = songOf({ id: newId(), uid: uidOf(ADA), revision: 4 })
songs.songs.set(song.id, song)
const services = {
  songs: songs.routes,
  payments: (app: FastifyInstance) =>
    void app.get('/payments/:id', async () => paymentOf({ id: 'p1', uid: uidOf(ADA), status: 'paid' })),
}

interface Received {
  readonly event: string
  readonly data: unknown
}

const opened: AbortController[] = []
afterEach(() => opened.splice(0).forEach((one) => one.abort()))

/** What a stream has said so far, and whether it is over. */
async function listen(browser: Browser): Promise<{
  received: Received[]
  status: number
  headers: Headers
  over: () => boolean
}> {
  const abort = new AbortController()
  opened.push(abort)
  const answer = await browser.send('/api/live', { signal: abort.signal })
  const received: Received[] = []
  let over = false
  const read = async (): Promise<void> => {
    let text = ''
    for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk
      const parts = text.split('\n\n')
      text = parts.pop() ?? ''
      for (const part of parts) {
        const [, event = '', data = ''] = /^event: (.+)\ndata: (.+)$/.exec(part) ?? []
        if (event) received.push({ event, data: JSON.parse(data) })
      }
    }
  }
  void read()
    .catch(() => {})
    .finally(() => (over = true))
  await eventually(() => expect([answer.status, received[0]?.event]).not.toEqual([200, undefined]))
  const { status, headers } = answer
  return { received, status, headers, over: () => over }
}

const emitEvent = <E extends EventDefinition>(
  { emit }: TestGateway,
  event: E,
  data: EventData<E> & { uid: string },
): Promise<void> => emit(event, data)

test('a person receives their own songs, credits and payments, whole, and no others', async () => {
  await using gateway = await startGateway({ services })
  const ada = await listen(await gateway.signIn(ADA))
  const eve = await listen(await gateway.signIn(EVE))
  await emitEvent(gateway, SongUpdated, { songId: song.id, uid: uidOf(ADA), revision: 4 })
  await emitEvent(gateway, CreditsAdded, {
    uid: uidOf(ADA),
    amount: 2500,
    reason: 'top_up',
    reference: null,
    balance: 3550,
    version: 7,
  })
  await emitEvent(gateway, PaymentUpdated, { paymentId: 'p1', uid: uidOf(ADA), revision: 2 })
  await eventually(() => expect(ada.received).toHaveLength(4))
  const { storagePath1: _1, storagePath2: _2, note: _3, ...open } = song
  expect(ada.received).toEqual(
    expect.arrayContaining([
      { event: 'song', data: open },
      { event: 'credits', data: { balance: 35.5, version: 7 } },
      {
        event: 'payment',
        data: expect.objectContaining({ id: 'p1', amount: 25, currency: 'USD', status: 'paid' }),
      },
    ]),
  )
  expect(ada.received[0]).toEqual({ event: 'ready', data: { build: 'app-abc' } })
  expect(eve.received).toHaveLength(1)
})

test('an object for several streams, also of the operator, is read once, and sent in the state of that read', async () => {
  const read: string[] = []
  const counted = (service: (app: FastifyInstance) => void) => (app: FastifyInstance) => {
    app.addHook('onRequest', async ({ url }) => void read.push(url))
    service(app)
  }
  await using gateway = await startGateway({
    services: { songs: counted(songs.routes), payments: counted(services.payments) },
  })
  const browser = await gateway.signIn(ADA)
  const streams = [await listen(browser), await listen(browser), await listen(browser)]
  const operator = await listen(await gateway.operator())
  await emitEvent(gateway, PaymentUpdated, { paymentId: 'p1', uid: uidOf(ADA), revision: 2 })
  for (const { received, headers } of streams) {
    await eventually(() => expect(received).toHaveLength(2))
    expect(received[1]).toMatchObject({ event: 'payment', data: { id: 'p1', status: 'paid' } })
    // each event would be four pieces to write
    expect(headers.get('transfer-encoding')).toBeNull()
  }
  await emitEvent(gateway, SongUpdated, { songId: song.id, uid: uidOf(ADA), revision: 4 })
  for (const { received } of [...streams, operator])
    await eventually(() => expect(received.at(-1)).toMatchObject({ data: { id: song.id, revision: 4 } }))
  expect(read).toEqual(['/payments/p1', `/songs/${song.id}`])
})

test('a person receives a song as soon as it is requested; where that was here, without a read', async () => {
  await using gateway = await startGateway({ services })
  const browser = await gateway.signIn(ADA)
  const ada = await listen(browser)
  await emitEvent(gateway, SongRequested, { songId: song.id, uid: uidOf(ADA) })
  await eventually(() => expect(ada.received).toHaveLength(2))
  expect(ada.received[1]).toMatchObject({ event: 'song', data: { id: song.id } })
  const answer = await browser.post('/api/songs', { lyrics: 'la', style: 'folk' })
  const { id } = (await answer.json()) as { id: string }
  await emitEvent(gateway, SongRequested, { songId: id, uid: uidOf(ADA) })
  await eventually(() => expect(ada.received[2]).toMatchObject({ event: 'song', data: { id } }))
  expect(songs.seen).not.toContain(`GET /songs/${id}`)
})

test('a notice reaches the streams of its person, and so does that it was read', async () => {
  const read: unknown[] = []
  const kept = { id: 'n0', kind: 'late', songId: song.id, at: 4, readAt: null }
  const other = { ...kept, id: 'n-1', kind: 'transfer_settled', songId: null, at: 3 }
  const notifier = (app: FastifyInstance): void => {
    app.get('/people/:uid/notices', async () => ({ items: [kept, other], nextCursor: null }))
    app.post('/people/:uid/notices/read', async ({ params, body }) => {
      read.push({ params, body })
      return {}
    })
  }
  await using gateway = await startGateway({ services: { notifier, songs: songs.routes } })
  const browser = await gateway.signIn(ADA)
  const [ada, eve] = [await listen(browser), await listen(await gateway.signIn(EVE))]
  const [uid, facts] = [uidOf(ADA), { kind: 'ready', songId: song.id, at: 5 } as const]
  await emitEvent(gateway, NoticeAdded, { noticeId: 'n1', uid, ...facts })
  await eventually(() => expect(ada.received).toHaveLength(2))
  expect(ada.received[1]).toEqual({
    event: 'notice',
    data: { id: 'n1', ...facts, readAt: null, title: 'folk' },
  })
  // by its title, once it has one
  songs.songs.set(song.id, { ...song, title: 'Paper Boats' })
  expect(await (await browser.get('/api/notices')).json()).toEqual({
    items: [
      { ...kept, title: 'Paper Boats' },
      { ...other, title: null },
    ],
    nextCursor: null,
  })
  songs.songs.set(song.id, song)
  expect((await browser.post('/api/notices/read', { before: 5 })).status).toBe(204)
  expect(read).toEqual([{ params: { uid }, body: { before: 5 } }])
  await eventually(() => expect(ada.received).toHaveLength(3))
  expect(ada.received[2]).toEqual({ event: 'notices-read', data: { before: 5 } })
  expect(eve.received).toHaveLength(1)
})

test('what a browser says of language and time zone is passed on once, one call at a time, and no request waits for it', async () => {
  const noted: unknown[] = []
  let answered = Promise.resolve()
  const notifier = (app: FastifyInstance): void =>
    void app.put('/people/:uid/browser', async ({ body }) => {
      noted.push(body)
      await answered
      return {}
    })
  await using gateway = await startGateway({ services: { notifier, songs: songs.routes } })
  const browser = await gateway.signIn(ADA)
  const me = (language: string, zone: string) =>
    browser.get('/api/me', { 'accept-language': language, 'x-time-zone': zone })
  const post = (zone: string) =>
    browser.post('/api/auth/logout-everywhere', undefined, { 'x-time-zone': zone })
  const lagos = { language: 'fr', timeZone: 'Africa/Lagos' }
  for (let times = 0; times < 2; times++) await me('de, fr-CA;q=0.8', 'Africa/Lagos')
  await eventually(() => expect(noted).toEqual([lagos]))
  await post('Europe/Paris')
  await eventually(() => expect(noted).toEqual([lagos, { timeZone: 'Europe/Paris' }]))
  for (const nonsense of ['Mars/Olympus', '+01:00', 'x'.repeat(99)]) await post(nonsense)
  await browser.get('/api/credits', { 'x-time-zone': 'Africa/Accra' })
  await me('de', 'nowhere')
  await eventually(() => expect(noted).toHaveLength(3))
  expect(noted[2]).toEqual({ language: null })
  const slow = Promise.withResolvers<void>()
  answered = slow.promise
  for (const zone of ['Africa/Accra', 'Africa/Cairo', 'Africa/Dakar']) await post(zone)
  await eventually(() => expect(noted).toHaveLength(4))
  slow.resolve()
  await eventually(() => expect(noted.slice(4)).toEqual([{ timeZone: 'Africa/Dakar' }]))
})

test('changed preferences reach the streams of their person', async () => {
  let kept = { mail: { ready: true, charged: true, late: true, receipts: true }, push: false, language: null }
  const notifier = (app: FastifyInstance): void => {
    app.get('/people/:uid/preferences', async () => kept)
    app.put('/people/:uid/preferences', async ({ body }) => (kept = { ...kept, ...(body as typeof kept) }))
  }
  await using gateway = await startGateway({ services: { notifier } })
  const browser = await gateway.signIn(ADA)
  const [ada, eve] = [await listen(browser), await listen(await gateway.signIn(EVE))]
  const push = { method: 'PUT', body: '{"push":true}', headers: { 'content-type': 'application/json' } }
  expect((await browser.send('/api/preferences', push)).status).toBe(200)
  await eventually(() => expect(ada.received).toHaveLength(2))
  expect(ada.received[1]).toEqual({ event: 'preferences', data: { ...kept, push: true } })
  expect(eve.received).toHaveLength(1)
})

test('a debt reaches the person, and the operator with its sum, though the balance stays as it is', async () => {
  await using gateway = await startGateway({ services: { ...services, credits: creditsStub().routes } })
  const ada = await listen(await gateway.signIn(ADA))
  const operator = await listen(await gateway.operator())
  const [uid, reference] = [uidOf(ADA), 'p1']
  await emitEvent(gateway, DebtChanged, { uid, change: 1000, debt: 1000, reference, balance: 0, version: 8 })
  await eventually(() => expect([ada.received.length, operator.received.length]).toEqual([2, 2]))
  expect(ada.received[1]).toEqual({ event: 'credits', data: { balance: 0, version: 8 } })
  expect(operator.received[1]).toEqual({ event: 'operator-debt', data: { uid: 'x', debt: 0 } })
})

test('the operator receives all songs, transfers and drafts while unlocked, and none once locked', async () => {
  const draft = draftOf({ songId: song.id })
  const storage = (app: FastifyInstance) =>
    void app.get<{ Params: { id: string } }>('/drafts/:id', async ({ params }) => {
      if (params.id !== draft.id) throw new AppError('draft_not_found')
      return draft
    })
  await using gateway = await startGateway({ services: { ...services, storage } })
  await gateway.signIn(ADA)
  const operator = await gateway.operator()
  const { received, over } = await listen(operator)
  await emitEvent(gateway, SongUpdated, { songId: song.id, uid: uidOf(ADA), revision: 4 })
  await emitEvent(gateway, TransferOpened, { transferId: 'p1', uid: uidOf(ADA) })
  const removed = newId()
  for (const draftId of [draft.id, removed])
    await emitEvent(gateway, DraftChanged, { draftId, songId: song.id, uid: uidOf(ADA) })
  await eventually(() => expect(received).toHaveLength(5))
  expect(received).toEqual(
    expect.arrayContaining([
      { event: 'operator-song', data: song },
      {
        event: 'operator-transfer',
        data: { id: 'p1', uid: uidOf(ADA), email: 'ada@example.org', status: 'paid', createdAt: 1 },
      },
      { event: 'operator-draft', data: draft },
      { event: 'operator-draft', data: { id: removed, songId: song.id, state: 'removed' } },
    ]),
  )
  await operator.post('/api/operator/lock')
  const other = await gateway.operator()
  const unlocked = await listen(other)
  await emitEvent(gateway, TransferOpened, { transferId: 'p1', uid: uidOf(ADA) })
  await eventually(() => expect(unlocked.received).toHaveLength(2))
  expect(received).toHaveLength(5)
  expect(over()).toBe(false)
  await listen(operator)
  await listen(other)
  // one entry for the streams of each session that was unlocked when they began
  const { rows } = await gateway.service.db.query(
    `select outcome, count(*)::integer from audit join audit_outcome on audit_id = audit.id where action = 'watch-songs' group by outcome`,
  )
  expect(rows).toEqual([{ outcome: 'ok', count: 2 }])
})

test('signing out ends the streams of that session, and only those', async () => {
  await using gateway = await startGateway({ services })
  const browser = await gateway.signIn(ADA)
  const here = [await listen(browser), await listen(browser)]
  const elsewhere = await listen(await gateway.signIn(ADA))
  await browser.post('/api/auth/logout')
  await eventually(() => expect(here.map(({ over }) => over())).toEqual([true, true]))
  expect(elsewhere.over()).toBe(false)
})

test('streams that may have missed something end, so that their clients read everything again', async () => {
  let interrupted = (): void => {}
  const kv = (real: KeyValue): KeyValue => ({
    ...real,
    onInterruption: (listener) => void (interrupted = listener),
  })
  await using gateway = await startGateway({ services, kv })
  const stream = await listen(await gateway.signIn(ADA))
  expect(stream.over()).toBe(false)
  interrupted()
  await eventually(() => expect(stream.over()).toBe(true))
})

/** What happens once, right before the next subscription is active. */
const meanwhile: (() => Promise<unknown>)[] = []
const withMeanwhile = (real: KeyValue): KeyValue => ({
  ...real,
  subscribe: async (channel, listener) => {
    for (const act of meanwhile.splice(0)) await act()
    return real.subscribe(channel, listener)
  },
})

test('a session that ends while its stream begins has no stream', async () => {
  await using gateway = await startGateway({ services, kv: withMeanwhile })
  const browser = await gateway.signIn(ADA)
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  meanwhile.push(() => gateway.visitor().post('/api/auth/logout', undefined, { cookie }))
  expect((await listen(browser)).status).toBe(401)
})

test('an unlock that ends while the stream begins is not counted on', async () => {
  await using gateway = await startGateway({ services, kv: withMeanwhile })
  const operator = await gateway.operator()
  meanwhile.push(() => operator.post('/api/operator/lock'))
  const locked = await listen(operator)
  const unlocked = await listen(await gateway.operator())
  await emitEvent(gateway, TransferOpened, { transferId: 'p1', uid: uidOf(ADA) })
  await eventually(() => expect(unlocked.received).toHaveLength(2))
  expect(locked.received).toEqual([{ event: 'ready', data: { build: 'app-abc' } }])
})

test('every stream begins with its headers and `ready`, however many events arrive meanwhile', async () => {
  await using gateway = await startGateway({ services })
  const browser = await gateway.signIn(ADA)
  const [uid, reason, reference] = [uidOf(ADA), 'top_up', null] as const
  let isFlooding = true
  const flood = async (): Promise<void> => {
    for (let version = 1; isFlooding; version++)
      await emitEvent(gateway, CreditsAdded, { uid, amount: 1, reason, reference, balance: 1, version })
  }
  const flooding = Promise.all([flood(), flood(), flood()])
  try {
    for (let round = 0; round < 10; round++) {
      const streams = await Promise.all(Array.from({ length: 10 }, () => listen(browser)))
      for (const { status, headers, received } of streams) {
        expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
        expect(headers.get('x-content-type-options')).toBe('nosniff')
        expect(received[0]).toEqual({ event: 'ready', data: { build: 'app-abc' } })
        await eventually(() => expect(received[1]?.event).toBe('credits'))
      }
      opened.splice(0).forEach((one) => one.abort())
      await eventually(async () => expect(await takenSeats(gateway)).toEqual([]))
    }
  } finally {
    isFlooding = false
    await flooding
  }
})

/** Of Ada's ten. */
async function takenSeats({ kv }: TestGateway): Promise<string[]> {
  return Object.keys(JSON.parse((await kv.get(`slots:stream:${uidOf(ADA)}`)) ?? '{}') as object)
}

test('a client that leaves before its stream begins keeps no slot, of its own streams or of operations', async () => {
  let open = Promise.resolve()
  const slow = (real: KeyValue): KeyValue => ({
    ...real,
    get: async (key) => {
      await open
      return real.get(key)
    },
  })
  await using gateway = await startGateway({ services, kv: slow })
  const [ada, operator] = [await gateway.signIn(ADA), await gateway.operator()]
  const coming = new Set<ServerResponse>()
  gateway.app.server.on('request', (_request, response: ServerResponse) => {
    coming.add(response)
    response.on('close', () => coming.delete(response))
  })
  const leaveEarly = async (browser: Browser, path: string, times: number): Promise<void> => {
    const gate = Promise.withResolvers<void>()
    open = gate.promise
    const before = coming.size
    const abort = new AbortController()
    for (let n = 0; n < times; n++) browser.send(path, { signal: abort.signal }).catch(() => {})
    await eventually(() => expect(coming.size).toBe(before + times))
    abort.abort()
    await eventually(() => expect(coming.size).toBe(before))
    gate.resolve()
  }
  await leaveEarly(ada, '/api/live', 10)
  await eventually(async () => expect((await listen(ada)).status).toBe(200))
  await eventually(async () => expect(await takenSeats(gateway)).toHaveLength(1))
  await leaveEarly(operator, '/api/operator/ops/live', 20)
  await eventually(async () => {
    const { rows } = await gateway.service.db.query<{ ended: number }>(
      `select count(*)::integer as ended from audit join audit_outcome on audit_id = id where action = 'watch-ops'`,
    )
    expect(rows[0]?.ended).toBe(20)
  })
  const abort = new AbortController()
  opened.push(abort)
  const answer = await operator.send('/api/operator/ops/live', { signal: abort.signal })
  expect(answer.status).toBe(200)
})

test('a person has ten streams at most, and a closed one frees its slot', async () => {
  await using gateway = await startGateway({ services })
  const browser = await gateway.signIn(ADA)
  for (let n = 0; n < 10; n++) expect((await listen(browser)).status).toBe(200)
  expect((await listen(browser)).status).toBe(429)
  opened[0]?.abort()
  await eventually(async () => expect((await listen(browser)).status).toBe(200))
})

test('an instance has twenty streams of operations at most', async () => {
  await using gateway = await startGateway({ services })
  const operator = await gateway.operator()
  const abort = new AbortController()
  opened.push(abort)
  const answers = Array.from({ length: 21 }, () =>
    operator.send('/api/operator/ops/live', { signal: abort.signal }),
  )
  const statuses = (await Promise.all(answers)).map(({ status }) => status)
  expect(Map.groupBy(statuses, (status) => status).get(200)).toHaveLength(20)
  expect(statuses).toContain(429)
})

test('a stream of which more than 1 MiB is unread is disconnected', async () => {
  await using app = fastify()
  let sent = 0
  const frame = frameOf('song', 'x'.repeat(64 * 1024))
  app.get('/', (_request, reply) => {
    const stream = eventStream(reply)
    stream.begin(() => {})
    for (; stream.isOpen && sent < 32; sent++) stream.send(frame)
  })
  await fetch(await app.listen({ host: '127.0.0.1', port: 0 })).catch(() => {})
  expect(sent).toBe(16)
})

test('signed out there is no stream, and the server closes though streams are open', async () => {
  const gateway = await startGateway({ services })
  expect((await listen(gateway.visitor())).status).toBe(401)
  const { over } = await listen(await gateway.signIn(ADA))
  await gateway[Symbol.asyncDispose]()
  await eventually(() => expect(over()).toBe(true))
})
