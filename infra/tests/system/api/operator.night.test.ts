import type { Payment, Song } from '@prelude/contracts'
import { beforeAll, expect, test } from 'vitest'
import {
  expectRefusal,
  giveCredits,
  mail,
  productOfFile,
  requestSong,
  somebody,
  type Somebody,
  unlockedOperator,
} from '../../support/callers.ts'
import { balanceIs, goOut, linesOf, paymentLike, play, startCheckout } from '../../support/checkout.ts'
import { press } from '../../support/checkout-page.ts'

const product = productOfFile()
let operator: Somebody
let eve: Somebody

beforeAll(async () => {
  operator = await unlockedOperator(product())
  eve = await somebody(product())
})

interface Audit {
  items: {
    id: string
    at: number
    action: string
    outcome: string
    target: string | null
    detail: string | null
  }[]
}

test('an unlock is for one session and ends with a lock; the audit has both and the refused attempts', async () => {
  const { password } = product().endpoints.operator
  const session = await somebody(product(), { email: operator.email, name: 'Olu' })
  const unlock = (json: unknown) => session.call('POST', '/api/operator/unlock', { json })
  expectRefusal(
    await unlock({ password: `${password}x` }),
    403,
    'wrong_operator_password',
    'Wrong admin password.',
  )
  for (const json of [{}, { password: null }, { password: 5 }])
    expectRefusal(await unlock(json), 400, 'invalid_request')
  interface Me {
    operator: { eligible: boolean; unlocked: boolean }
    role: string
  }
  const me = async (): Promise<Me> => (await session.call<Me>('GET', '/api/me')).body
  expect(await me()).toMatchObject({ role: 'user', operator: { eligible: true, unlocked: false } })
  expect((await unlock({ password })).status).toBe(204)
  expect(await me()).toMatchObject({ role: 'user', operator: { eligible: true, unlocked: true } })
  expect((await session.call('GET', '/api/operator/songs?status=done')).status).toBe(400)
  expect((await session.call('POST', '/api/operator/lock')).status).toBe(204)
  expectRefusal(await session.call('GET', '/api/operator/songs'), 403, 'operator_locked')
  expect((await operator.call('GET', '/api/operator/songs')).status).toBe(200)
  await eve.call('GET', '/api/operator/audit')
  const { items } = (await operator.call<Audit>('GET', '/api/operator/audit?limit=9')).body
  expect(items.map(({ action, outcome }) => [action, outcome])).toEqual([
    ['list-songs', 'ok'],
    ['list-songs', 'operator_locked'],
    ['lock', 'ok'],
    ['list-songs', 'invalid_request'],
    ['unlock', 'ok'],
    ['unlock', 'invalid_request'],
    ['unlock', 'invalid_request'],
    ['unlock', 'invalid_request'],
    ['unlock', 'wrong_operator_password'],
  ])
  expect(Object.keys(items[0] ?? {}).toSorted()).toEqual([
    'action',
    'at',
    'detail',
    'id',
    'outcome',
    'target',
  ])
  expect(JSON.stringify(items)).not.toContain(password)
})

test('the operator sees the songs of everybody, filtered by state, with their paths', async () => {
  const songs = [await requestSong(eve, { lyrics: 'one' }), await requestSong(operator, { lyrics: 'two' })]
  const list = async (query: string): Promise<Song[]> =>
    (await operator.call<{ items: Song[] }>('GET', `/api/operator/songs?limit=2${query}`)).body.items
  for (const query of ['', '&status=pending'])
    expect((await list(query)).map(({ id }) => id)).toEqual(songs.map(({ id }) => id).toReversed())
  expect(await list('&status=ready')).toEqual([])
  expect((await list(''))[0]).toHaveProperty('storagePath1', null)
  for (const status of ['', 'all', 'READY'])
    expectRefusal(await operator.call('GET', `/api/operator/songs?status=${status}`), 400, 'invalid_request')
})

test('a pending, charged song is refunded once, with a mail, and never charged again', async () => {
  const ada = await somebody(product())
  const refund = (id: string, json: unknown = { reason: 'cannot' }) =>
    operator.call<Song>('POST', `/api/operator/songs/${id}/refund`, { json })
  const waiting = await requestSong(ada)
  expectRefusal(await refund(waiting.id), 409, 'song_not_charged')
  for (const reason of [undefined, null, '', 'x'.repeat(501), 5])
    expectRefusal(await refund(waiting.id, { reason }), 400, 'invalid_request')
  expectRefusal(await refund('-'), 404, 'song_not_found')
  expectRefusal(await refund('00000000-0000-7000-8000-000000000000'), 404, 'song_not_found')
  await giveCredits(operator, ada.uid, 10)
  await balanceIs(ada, 0)
  const both = await Promise.all([refund(waiting.id), refund(waiting.id)])
  const done = both.find(({ status }) => status === 200)
  expect(done?.body).toMatchObject({ charge: 'refunded', charged: false, status: 'pending' })
  await balanceIs(ada, 10)
  expectRefusal(await refund(waiting.id), 409, 'song_not_charged')
  await mail(product(), ada.email, /credits are back/)
  await giveCredits(operator, ada.uid, 10)
  expect(await linesOf(ada)).toEqual([
    ['adjustment', 10, 20],
    ['refund', 10, 10],
    ['song', -10, 0],
    ['adjustment', 10, 10],
  ])
  expect((await ada.call<Song>('GET', `/api/songs/${waiting.id}`)).body.charge).toBe('refunded')
})

test('a card payment can be refunded partly and fully, never more than is left', async () => {
  const ada = await somebody(product())
  const checkout = await startCheckout(ada, 30)
  const refund = (amount: unknown, headers: Record<string, string> = {}) =>
    operator.call<Payment>('POST', `/api/operator/payments/${checkout.id}/refund`, {
      json: { amount },
      headers,
    })
  expectRefusal(await refund(5), 409, 'not_paid')
  await press(checkout, 'pay')
  await balanceIs(ada, 30)
  for (const amount of [undefined, null, 0, -1, '5', 0.001, 1e300])
    expectRefusal(await refund(amount), 400, 'invalid_amount')
  expectRefusal(await refund(30.01), 409, 'refund_too_high')
  const keyed = { 'idempotency-key': 'part' }
  expect((await refund(12.5, keyed)).body).toMatchObject({ status: 'paid', refundedAmount: 12.5 })
  expect((await refund(12.5, keyed)).headers['idempotency-replayed']).toBe('true')
  await balanceIs(ada, 17.5)
  expect(await goOut(product(), 60)).toBe(200)
  expectRefusal(await refund(1), 502, 'checkout_unavailable')
  expect(await goOut(product(), 0)).toBe(200)
  expectRefusal(await refund(17.51), 409, 'refund_too_high')
  const rest = (await paymentLike(ada, checkout.id, {})).refundedAmount
  expect((await refund(30 - rest)).body).toMatchObject({ status: 'refunded', refundedAmount: 30 })
  await balanceIs(ada, 0)
  expect((await refund(1)).status).toBe(409)
  expect((await play(product(), checkout.session, 'refund')).status).toBe(409)
  for (const id of ['-', '00000000-0000-7000-8000-000000000000'])
    expectRefusal(
      await operator.call('POST', `/api/operator/payments/${id}/refund`, { json: { amount: 1 } }),
      404,
      'payment_not_found',
    )
})

test('people are found by name, address and uid, with their credits and debts', async () => {
  const ada = await somebody(product(), { name: 'Zoë 100%_Obi' })
  const checkout = await startCheckout(ada, 25)
  await press(checkout, 'pay')
  await balanceIs(ada, 25)
  await requestSong(ada)
  await play(product(), checkout.session, 'dispute')
  await balanceIs(ada, 0)
  interface People {
    items: Record<string, unknown>[]
    nextCursor: string | null
  }
  const person = { uid: ada.uid, name: 'Zoë 100%_Obi', email: ada.email, balance: 0, debt: 10 }
  for (const q of ['ZOË', '%_O', ada.uid, ada.email.toUpperCase()])
    expect(
      (await operator.call<People>('GET', `/api/operator/people?q=${encodeURIComponent(q)}`)).body.items,
    ).toEqual([person])
  expect((await operator.call<People>('GET', '/api/operator/people?q=_%25')).body.items).toEqual([])
  const all = await operator.call<People>('GET', '/api/operator/people?limit=1')
  expect(all.body.nextCursor).toEqual(expect.any(String))
  const payments = await operator.call<People>('GET', '/api/operator/payments?limit=1')
  expect(payments.body.items).toMatchObject([
    { id: checkout.id, uid: ada.uid, email: ada.email, status: 'disputed' },
  ])
  for (const list of ['songs', 'people', 'payments', 'transfers', 'audit']) {
    expectRefusal(await operator.call('GET', `/api/operator/${list}?limit=0`), 400, 'invalid_request')
    expectRefusal(await operator.call('GET', `/api/operator/${list}?cursor=x`), 400, 'invalid_cursor')
    expect((await operator.call('GET', `/api/operator/${list}?limit=100`)).status).toBe(200)
  }
})
