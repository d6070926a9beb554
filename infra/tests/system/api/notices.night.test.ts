import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Notice, Preferences } from '@prelude/contracts'
import { certificate } from '@prelude/platform/testing'
import { eventually } from '@prelude/platform/eventually'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fulfil } from '../../support/audio-files.ts'
import {
  expectRefusal,
  giveCredits,
  mail,
  requestSong,
  settled,
  somebody,
  type Somebody,
  unlockedOperator,
} from '../../support/callers.ts'
import { mailsTo } from '../../support/mailbox.ts'
import { type ProductProcess, startProductProcess } from '../../support/product-process.ts'
import { type PushService, startPushService } from '@prelude/notifier/push-service'

import { readZip } from './read-zip.ts'

/** Notices, preferences, web push, and how many mails the operator gets, on a product whose clock is moved. */

const folder = mkdtempSync(join(tmpdir(), 'prelude-notices-'))
let product: ProductProcess
let push: PushService
let operator: Somebody

beforeAll(async () => {
  const trusted = await certificate()
  writeFileSync(join(folder, 'push.pem'), trusted.cert)
  push = await startPushService(trusted)
  product = await startProductProcess(
    {
      RATE_LIMITS: 'off',
      PUSH_LOOPBACK: 'on',
      NODE_EXTRA_CA_CERTS: join(folder, 'push.pem'),
    },
    { clock: true },
  )
  operator = await unlockedOperator(product)
})
afterAll(async () => {
  await push.stop()
  await product[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

const listOf = async ({ call }: Somebody, query = ''): Promise<readonly Notice[]> =>
  (await call<{ items: Notice[] }>('GET', `/api/notices${query}`)).body.items

const kindsOf = (person: Somebody, kinds: readonly string[]): Promise<void> =>
  eventually(async () => {
    expect((await listOf(person)).map(({ kind }) => kind)).toEqual(kinds)
  })

const put = ({ call }: Somebody, json: unknown) => call<Preferences>('PUT', '/api/preferences', { json })

test('what happens to a song is listed newest first, and read up to a time; others see nothing of it', async () => {
  const [ada, eve] = [await somebody(product), await somebody(product)]
  const { id: songId } = await requestSong(ada)
  expect(await listOf(ada)).toEqual([])
  await giveCredits(operator, ada.uid, 10)
  await kindsOf(ada, ['charged'])
  expect((await fulfil(operator, songId)).status).toBe(200)
  await kindsOf(ada, ['ready', 'charged'])
  const [ready, charged] = (await listOf(ada)) as [Notice, Notice]
  expect(ready).toEqual({ id: ready.id, kind: 'ready', songId, at: ready.at, readAt: null })
  expect(ready.at).toBeGreaterThanOrEqual(charged.at)

  const { body: first } = await ada.call<{ items: Notice[]; nextCursor: string }>(
    'GET',
    '/api/notices?limit=1',
  )
  expect(first.items).toEqual([ready])
  expect(await listOf(ada, `?limit=1&cursor=${first.nextCursor}`)).toEqual([charged])
  expectRefusal(await ada.call('GET', '/api/notices?cursor=garbage'), 400, 'invalid_cursor')
  expectRefusal(await ada.call('GET', '/api/notices?limit=101'), 400, 'invalid_request')

  const read = ({ call }: Somebody, before: unknown) =>
    call('POST', '/api/notices/read', { json: { before } })
  for (const before of [-1, 1.5, '1', null, 1e300, undefined])
    expectRefusal(await read(ada, before), 400, 'invalid_request')
  expect((await read(eve, ready.at)).status).toBe(204)
  expect((await read(ada, charged.at)).status).toBe(204)
  expect((await listOf(ada)).map(({ readAt }) => readAt)).toEqual([null, expect.any(Number)])
  expect((await read(ada, ready.at)).status).toBe(204)
  expect((await listOf(ada)).map(({ readAt }) => readAt)).toEqual([expect.any(Number), expect.any(Number)])
  expect(await listOf(eve)).toEqual([])
})

test('a part of the preferences may be put; the mails obey them, and receipts cannot be turned off', async () => {
  const ada = await somebody(product)
  const all = { mail: { ready: true, charged: true, late: true, receipts: true }, push: false }
  expect((await ada.call('GET', '/api/preferences')).body).toEqual(all)
  expect(await put(ada, {})).toMatchObject({ status: 200, body: all })
  const wanted = { ...all, mail: { ...all.mail, ready: false } }
  const sent = { mail: { ready: false, receipts: true, more: 1 }, uid: 'x' }
  expect(await put(ada, sent)).toMatchObject({ status: 200, body: wanted })
  for (const json of [{ mail: { receipts: false } }, { push: 1 }, { mail: { late: null } }, { mail: [] }])
    expectRefusal(await put(ada, json), 400, 'invalid_request')
  expect((await ada.call('GET', '/api/preferences')).body).toEqual(wanted)

  await giveCredits(operator, ada.uid, 20)
  const quiet = await requestSong(ada)
  expect((await fulfil(operator, quiet.id)).status).toBe(200)
  await settled(product)
  await put(ada, { mail: { ready: true } })
  const loud = await requestSong(ada, { style: 'loud folk' })
  expect((await fulfil(operator, loud.id)).status).toBe(200)
  expect((await mail(product, ada.email, /ready/)).text).toContain('loud folk')
  await settled(product)
  expect(await mailsTo(product, ada.email)).toHaveLength(1)
  expect((await listOf(ada)).map(({ kind }) => kind)).toEqual(['ready', 'ready'])
})

test('a subscribed person who wants pushes gets one when a song is ready; the same endpoint has one id', async () => {
  const [ada, eve] = [await somebody(product), await somebody(product)]
  const { body: key } = await ada.call<{ publicKey: string }>('GET', '/api/push-key')
  const { subscription, received } = push.subscribe(key.publicKey)
  const subscribe = ({ call }: Somebody, json: unknown = subscription) =>
    call<{ id: string }>('POST', '/api/push-subscriptions', { json })
  const first = await subscribe(ada)
  expect(first.status).toBe(201)
  expect((await subscribe(ada)).body).toEqual(first.body)
  for (const change of [
    { endpoint: subscription.endpoint.replace('https', 'http') },
    { endpoint: 'https://10.0.0.1/push' },
    { endpoint: 'https://169.254.169.254/latest' },
    { endpoint: 'push' },
    { keys: { ...subscription.keys, auth: 'short' } },
    { keys: undefined },
  ])
    expectRefusal(await subscribe(ada, { ...subscription, ...change }), 400, 'invalid_request')

  await giveCredits(operator, ada.uid, 20)
  const before = await requestSong(ada)
  expect((await fulfil(operator, before.id)).status).toBe(200)
  await settled(product)
  await put(ada, { push: true })
  const { id: songId } = await requestSong(ada)
  expect((await fulfil(operator, songId)).status).toBe(200)
  await eventually(() => expect(received).toHaveLength(1))
  expect(received[0]).toMatchObject({
    payload: {
      kind: 'ready',
      songId,
      title: 'Your song is ready',
      url: `${product.endpoints.web}/songs/${songId}`,
    },
    contact: expect.stringMatching(/^mailto:/) as string,
  })

  const { bytes } = await ada.call('GET', '/api/account/export')
  const account = JSON.parse(readZip(bytes).get('account.json')?.toString('utf8') ?? '') as object
  expect(account).toMatchObject({
    preferences: { push: true },
    pushSubscriptions: [{ id: first.body.id, endpoint: subscription.endpoint }],
    notices: [
      { kind: 'ready', songId },
      { kind: 'ready', songId: before.id },
    ],
  })

  const path = `/api/push-subscriptions/${first.body.id}`
  expectRefusal(await eve.call('DELETE', path), 404, 'not_found')
  expectRefusal(await ada.call('DELETE', '/api/push-subscriptions/x'), 404, 'not_found')
  expect((await ada.call('DELETE', path)).status).toBe(204)
  expectRefusal(await ada.call('DELETE', path), 404, 'not_found')
})

test('more than five waiting requests of a person within an hour reach the operator as one digest; a paid one at once', async () => {
  const ada = await somebody(product)
  const about = async (): Promise<string[]> =>
    (await mailsTo(product, product.endpoints.operator.email))
      .filter(({ text }) => text.includes(ada.email))
      .map(({ subject, text }) => `${subject} ${[...text.matchAll(/^words \d$/gm)].join(', ')}`)
      .toSorted()
  for (let n = 1; n <= 8; n++) await requestSong(ada, { lyrics: `words ${n}`, style: 'folk' })
  await settled(product)
  const oneByOne = [1, 2, 3, 4, 5].map((n) => `New song request: folk words ${n}`)
  expect(await about()).toEqual(oneByOne)
  // the oldest is paid first, and was announced; those after it were not
  await giveCredits(operator, ada.uid, 60)
  await eventually(async () => {
    expect(await about()).toEqual([...oneByOne, 'New song request: folk words 6'])
  })

  await product.pass(61 * 60_000)
  const digest = '2 more requests wait for credits words 7, words 8'
  await eventually(async () => {
    expect(await about()).toEqual([digest, ...oneByOne, 'New song request: folk words 6'].toSorted())
  })
})
