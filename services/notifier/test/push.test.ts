import { createECDH } from 'node:crypto'
import {
  AccountClosed,
  MessageWritten,
  preferencesApi,
  pushApi,
  SongFulfilled,
  SongLate,
} from '@prelude/contracts'
import { newId, type Service } from '@prelude/platform'
import { eventually } from '@prelude/platform/eventually'
import { testService, trustedCertificate } from '@prelude/platform/testing'
import { beforeAll, expect, test } from 'vitest'
import { createNotifier } from '../src/index.ts'
import { type PushService, startPushService } from './push-service.ts'
import { BRANDING, runJob } from './start-notifier.ts'

/** Web push against a push service that checks the signature and decrypts, as browsers' services and browsers do. */

let push: PushService
beforeAll(async () => {
  push = await startPushService(await trustedCertificate())
  return () => push.stop()
})

const GONE = [404, 410]

type Pushes = NonNullable<Parameters<typeof createNotifier>[0]['config']['pushes']>

async function startNotifier(pushes: Pushes = { keys: null, loopback: true }) {
  let start: (instance: string) => Service = () => {
    throw new Error('not started')
  }
  const service = await testService((deps) => {
    const mailer = { send: async () => {}, ping: async () => {}, close: async () => {} }
    start = (instance) => createNotifier({ ...deps, instance, mailer, config: { ...BRANDING, pushes } })
    return start('one')
  })
  const { key, subscribe } = service.api(pushApi)
  const { publicKey } = await key()
  return {
    ...service,
    publicKey,
    /** A browser of this person. */
    subscribe: async (uid = 'u1') => {
      const { subscription, received } = push.subscribe(publicKey)
      const { id } = await subscribe({ params: { uid }, body: subscription })
      return { id, subscription, received }
    },
    want: (wanted: boolean, uid = 'u1') =>
      service.api(preferencesApi).change({ params: { uid }, body: { push: wanted } }),
    ready: async (uid = 'u1', songId = newId()): Promise<string> => {
      await service.deliver(SongFulfilled, { songId, uid, gift: false })
      return songId
    },
    /** Lets time pass, then sends what is due. */
    later: async (ms = 0): Promise<void> => {
      service.clock.pass(ms)
      await runJob(service, 'send-due-pushes')
    },
    /** Starts another process, which sends what is due. */
    startProcess: (instance: string) => runJob({ service: start(instance) }, 'send-due-pushes'),
    /** When the next message is due. */
    dueAt: async (): Promise<number | null> => {
      const sql = 'select min(next_at) as at from push_message'
      return (await service.admin.query<{ at: number | null }>(sql)).rows[0]?.at ?? null
    },
    /** The tries that the metrics count, by outcome. */
    counted: async (): Promise<Record<string, number>> => {
      const all = await Promise.all((service.service.measures?.metrics ?? []).map((one) => one.get()))
      const values = all.find(({ name }) => name === 'prelude_pushes_total')?.values ?? []
      return Object.fromEntries(values.map(({ labels, value }) => [String(labels['outcome']), value]))
    },
    waiting: async (): Promise<number> => (await service.admin.query('select from push_message')).rowCount,
  }
}

test('a person who wants it receives "ready" in every subscribed browser, encrypted and signed, once a song', async () => {
  await using notifier = await startNotifier()
  const [phone, laptop, other] = [
    await notifier.subscribe(),
    await notifier.subscribe(),
    await notifier.subscribe('u2'),
  ]
  await notifier.ready()
  await notifier.want(true)
  const songId = await notifier.ready()
  await notifier.ready('u1', songId)
  await notifier.ready('u2')
  await notifier.deliver(SongLate, { songId, uid: 'u1' })
  await notifier.later()
  await notifier.later(60_000)
  const expected = {
    payload: {
      kind: 'ready',
      songId,
      title: 'Your song is ready',
      url: `http://localhost:8080/songs/${songId}`,
    },
    contact: 'mailto:help@prelude.test',
    ttl: 86_400,
    topic: songId.replaceAll('-', ''),
  }
  expect([phone.received, laptop.received, other.received]).toEqual([[expected], [expected], []])
  expect(await notifier.waiting()).toBe(0)
})

test('a song’s unread messages push once an hour; of two kinds that wait for one song, the newest is sent', async () => {
  await using notifier = await startNotifier()
  const { received } = await notifier.subscribe()
  await notifier.want(true)
  const songId = newId()
  const write = (at: number) =>
    notifier.deliver(MessageWritten, { songId, uid: 'u1', from: 'studio', at, unread: at })
  const kindsAfter = async (ms: number): Promise<string[]> => {
    const before = received.length
    await notifier.later(ms)
    return received.slice(before).map(({ payload }) => (payload as { kind: string }).kind)
  }
  await write(1)
  await write(1)
  expect(await kindsAfter(0)).toEqual(['message'])
  expect(received[0]?.payload).toMatchObject({
    songId,
    title: 'A new message about your song',
    url: `http://localhost:8080/songs/${songId}#messages`,
  })
  await write(2)
  expect(await kindsAfter(61 * 60_000)).toEqual([])
  await write(3)
  expect(await kindsAfter(0)).toEqual(['message'])
  notifier.clock.pass(61 * 60_000)
  await write(4)
  await notifier.ready('u1', songId)
  expect(await kindsAfter(0)).toEqual(['ready'])
  expect(await notifier.waiting()).toBe(0)
})

test('the keys are made once, by whichever instance is first; keys that are set are used', async () => {
  await using notifier = await startNotifier()
  const again = await Promise.all(Array.from({ length: 3 }, () => notifier.api(pushApi).key()))
  expect(again).toEqual(again.map(() => ({ publicKey: notifier.publicKey })))
  const { rows } = await notifier.admin.query('select public_key as "publicKey" from push_key')
  expect(rows).toEqual([{ publicKey: notifier.publicKey }])

  const pair = createECDH('prime256v1')
  const keys = {
    publicKey: pair.generateKeys('base64url'),
    privateKey: pair.getPrivateKey('base64url'),
  }
  await using other = await startNotifier({ keys, loopback: true })
  expect(other.publicKey).toBe(keys.publicKey)
  const { received } = await other.subscribe()
  await other.want(true)
  await other.ready()
  await other.later()
  expect(received).toHaveLength(1)
})

test('the same endpoint again has the same id; another person who signs in there takes it over', async () => {
  await using notifier = await startNotifier()
  const { id, subscription, received } = await notifier.subscribe()
  const { subscribe, list, unsubscribe } = notifier.api(pushApi)
  expect(await subscribe({ params: { uid: 'u1' }, body: subscription })).toEqual({ id })
  for (const uid of ['u1', 'u2']) await notifier.want(true, uid)
  await notifier.ready('u1')
  expect(await subscribe({ params: { uid: 'u2' }, body: subscription })).toEqual({ id })
  const songId = await notifier.ready('u2')
  await notifier.ready('u1')
  await notifier.later()
  expect(received.map(({ payload }) => payload)).toMatchObject([{ kind: 'ready', songId }])
  const end = (uid: string) => unsubscribe({ params: { uid, id } })
  await expect(end('u1')).rejects.toMatchObject({ code: 'not_found' })
  expect((await list({ params: { uid: 'u2' } })).items).toMatchObject([
    { id, endpoint: subscription.endpoint },
  ])
  await end('u2')
  await expect(end('u2')).rejects.toMatchObject({ code: 'not_found' })
  await notifier.ready('u2')
  await notifier.later()
  expect(received).toHaveLength(1)
})

test.for(GONE)('a subscription that the browser has ended (%i) is removed', async (status) => {
  await using notifier = await startNotifier()
  const { received } = await notifier.subscribe()
  await notifier.want(true)
  await notifier.ready()
  push.answers.push({ status })
  await notifier.later()
  await notifier.ready()
  await notifier.later()
  expect(received).toEqual([])
  expect((await notifier.admin.query('select from push_subscription')).rowCount).toBe(0)
  expect(await notifier.counted()).toMatchObject({ sent: 0, retried: 0, failed: 0, gone: 1 })
})

test('a subscription whose key is none is removed, since no message can be encrypted for it', async () => {
  await using notifier = await startNotifier()
  const { subscription } = push.subscribe(notifier.publicKey)
  const keys = { ...subscription.keys, p256dh: 'B'.padEnd(87, 'A') }
  await notifier.api(pushApi).subscribe({ params: { uid: 'u1' }, body: { ...subscription, keys } })
  await notifier.want(true)
  await notifier.ready()
  await notifier.later()
  expect((await notifier.admin.query('select from push_subscription')).rowCount).toBe(0)
})

test('a push service that fails or asks to wait gets the message later, with a growing delay; then once', async () => {
  await using notifier = await startNotifier()
  const { received } = await notifier.subscribe()
  await notifier.want(true)
  await notifier.ready()
  const before = push.requests()
  const tried = (): number => push.requests() - before
  push.answers.push({ status: 503 }, { status: 429, headers: { 'retry-after': '60' } }, { status: 500 })
  const delays = [1_000, 60_000, 4_000]
  for (const [i, delayMs] of delays.entries()) {
    const { now } = notifier.clock
    const earliest = now() + delayMs
    await notifier.later()
    expect([tried(), received.length]).toEqual([i + 1, 0])
    expect(await notifier.dueAt()).toBeGreaterThanOrEqual(earliest)
    expect(await notifier.dueAt()).toBeLessThanOrEqual(now() + delayMs)
    notifier.clock.pass(delayMs)
  }
  await notifier.later()
  await notifier.later(3_600_000)
  expect([tried(), received.length]).toEqual([4, 1])
  expect(await notifier.counted()).toMatchObject({ sent: 1, retried: 3, failed: 0, gone: 0 })
})

test('a message that is refused, redirected or late by a day is given up, and the subscription stays', async () => {
  await using notifier = await startNotifier()
  const { received } = await notifier.subscribe()
  const { subscription: elsewhere, received: there } = push.subscribe(notifier.publicKey)
  await notifier.want(true)
  for (const status of [400, 413]) {
    await notifier.ready()
    push.answers.push({ status })
    await notifier.later()
    expect(await notifier.waiting()).toBe(0)
  }
  await notifier.ready()
  push.answers.push({ status: 307, headers: { location: elsewhere.endpoint } })
  const before = push.requests()
  await notifier.later()
  expect([push.requests() - before, there]).toEqual([1, []])
  await notifier.ready()
  push.answers.push({ status: 503 })
  await notifier.later(24 * 3_600_000)
  expect(await notifier.waiting()).toBe(0)
  await notifier.ready()
  await notifier.later()
  expect(received).toHaveLength(1)
  expect(await notifier.counted()).toMatchObject({ sent: 1, retried: 0, failed: 4, gone: 0 })
})

test('a signature that is refused is ours: message and subscription stay, and it is counted by people', async () => {
  await using notifier = await startNotifier()
  const { service } = notifier
  const refusedPeople = async (): Promise<unknown> => {
    await service.measures?.read?.()
    const all = await Promise.all((service.measures?.metrics ?? []).map((one) => one.get()))
    return all.find(({ name }) => name === 'prelude_pushes_unauthorized_people')?.values[0]?.value
  }
  const browsers = [
    await notifier.subscribe('u1'),
    await notifier.subscribe('u1'),
    await notifier.subscribe('u2'),
  ]
  for (const uid of ['u1', 'u2']) await notifier.want(true, uid)
  push.answers.push({ status: 401 }, { status: 403 }, { status: 403 })
  for (const uid of ['u1', 'u2']) await notifier.ready(uid)
  await notifier.later()
  expect([await notifier.waiting(), await refusedPeople()]).toEqual([3, 2])
  await notifier.later(2_000)
  expect([await notifier.waiting(), await refusedPeople()]).toEqual([0, 0])
  for (const { received } of browsers) expect(received).toHaveLength(1)
  expect(await notifier.counted()).toMatchObject({ sent: 3, unauthorized: 3, failed: 0, gone: 0 })
})

test('slow push services of one person take two places, and others are served meanwhile', async () => {
  await using notifier = await startNotifier()
  const slow = Array.from({ length: 10 }, () => notifier.subscribe('u1'))
  await Promise.all(slow)
  const { received } = await notifier.subscribe('u2')
  for (const uid of ['u1', 'u2']) await notifier.want(true, uid)
  await notifier.ready('u1')
  const answer = Promise.withResolvers<void>()
  push.hold(answer.promise)
  const before = push.requests()
  const sending = notifier.later()
  await eventually(() => expect(push.requests() - before).toBe(2))
  push.hold(Promise.resolve())
  // it becomes due while they wait
  await notifier.ready('u2')
  notifier.clock.pass(1_000)
  await eventually(() => expect(received).toHaveLength(1))
  expect(push.requests() - before).toBe(3)
  answer.resolve()
  await sending
  expect([push.requests() - before, await notifier.waiting()]).toEqual([11, 0])
})

test('a message that a killed process was sending is sent at once by the next one of its name, and by any other when its lease ends', async () => {
  await using notifier = await startNotifier()
  const { received } = await notifier.subscribe()
  await notifier.want(true)
  for (let n = 0; n < 2; n++) await notifier.ready()
  const answer = Promise.withResolvers<void>()
  push.hold(answer.promise)
  const before = push.requests()
  const killed = notifier.startProcess('killed')
  await eventually(() => expect(push.requests() - before).toBe(2))
  push.hold(Promise.resolve())
  await notifier.startProcess('another')
  expect(received).toEqual([])

  // the first one was left before its sender had a name
  const unnamed =
    'update push_message set holder = null where song_id = (select min(song_id) from push_message)'
  await notifier.admin.query(unnamed)
  await notifier.startProcess('killed')
  expect(received).toHaveLength(1)
  notifier.clock.pass(60_000)
  await notifier.startProcess('another')
  expect(received).toHaveLength(2)
  answer.resolve()
  await killed
})

test('without the setting for tests this machine is never called, whatever a name resolves to', async () => {
  await using notifier = await startNotifier({ keys: null, loopback: false })
  const { subscription } = push.subscribe(notifier.publicKey)
  const { subscribe } = notifier.api(pushApi)
  await expect(subscribe({ params: { uid: 'u1' }, body: subscription })).rejects.toMatchObject({
    code: 'invalid_request',
  })
  await subscribe({ params: { uid: 'u1' }, body: { ...subscription, endpoint: 'https://push.example/a' } })
  await notifier.want(true)
  const before = push.requests()
  // as when the name was pointed here afterwards
  for (const host of ['localhost', '127.0.0.1', '8.8.8.8']) {
    const { port, pathname } = new URL(subscription.endpoint)
    await notifier.admin.query('update push_subscription set endpoint = $1', [
      `https://${host}:${port}${pathname}`,
    ])
    await notifier.ready()
    await notifier.later()
    expect([await notifier.waiting(), push.requests() - before]).toEqual([0, 0])
  }
})

test('a key that is no point of the curve is given up; a person keeps the newest twenty browsers', async () => {
  await using notifier = await startNotifier()
  const { id, subscription } = await notifier.subscribe()
  const wrong = { ...subscription.keys, p256dh: Buffer.alloc(65, 4).toString('base64url') }
  const { subscribe, list } = notifier.api(pushApi)
  await subscribe({ params: { uid: 'u1' }, body: { ...subscription, keys: wrong } })
  await notifier.want(true)
  await notifier.ready()
  await notifier.later()
  expect(await notifier.waiting()).toBe(0)
  notifier.clock.pass(1_000)
  for (let n = 0; n < 20; n++) await notifier.subscribe()
  const { items } = await list({ params: { uid: 'u1' } })
  expect(items).toHaveLength(20)
  expect(items.map((one) => one.id)).not.toContain(id)
})

test('who turns pushes off gets none that wait, and a closed account leaves nothing', async () => {
  await using notifier = await startNotifier()
  const { received } = await notifier.subscribe()
  await notifier.want(true)
  await notifier.ready()
  await notifier.want(false)
  expect(await notifier.waiting()).toBe(0)
  await notifier.want(true)
  await notifier.ready()
  await notifier.deliver(AccountClosed, { uid: 'u1' })
  await notifier.subscribe()
  await notifier.later()
  expect([await notifier.waiting(), received]).toEqual([0, []])
  const { rows } = await notifier.admin.query<{ text: string }>(
    'select s::text as text from push_subscription s union all select p::text from preference p',
  )
  expect(rows).toEqual([])
})
