import type { Song } from '@prelude/contracts'
import { expect, test } from 'vitest'
import {
  expectRefusal,
  productOfFile,
  somebody,
  type Somebody,
  unlockedOperator,
} from '../support/callers.ts'

/** Expiry of locks, unlocks, idempotency keys and sessions, on a product whose clock is moved. */

const product = productOfFile({}, { clock: true })
const pass = (ms: number): Promise<void> => product().pass(ms)

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const me = async ({ call }: Somebody): Promise<number> => (await call('GET', '/api/me')).status

test('after five wrong passwords the right one is accepted again after 15 minutes', async () => {
  const { email, password } = product().endpoints.operator
  const operator = await somebody(product(), { email, name: 'Olu' })
  const unlock = (tried: string) =>
    operator.call('POST', '/api/operator/unlock', { json: { password: tried } })
  for (let n = 0; n < 5; n++) expectRefusal(await unlock('wrong'), 403, 'wrong_operator_password')
  expectRefusal(await unlock(password), 429, 'too_many_requests')
  await pass(14 * MINUTE)
  expectRefusal(await unlock(password), 429, 'too_many_requests')
  await pass(2 * MINUTE)
  expect((await unlock(password)).status).toBe(204)
})

test('an unlock expires after 12 hours, also when it is used', async () => {
  const operator = await unlockedOperator(product())
  const songs = () => operator.call('GET', '/api/operator/songs')
  for (let passed = 0; passed < 12 * HOUR; passed += 20 * MINUTE) {
    expect((await songs()).status).toBe(200)
    await pass(20 * MINUTE)
  }
  expectRefusal(await songs(), 403, 'operator_locked')
  expect(await me(operator)).toBe(200)
})

test('an unlock expires after 30 minutes without a call', async () => {
  const operator = await unlockedOperator(product())
  await pass(29 * MINUTE)
  expect((await operator.call('GET', '/api/operator/songs')).status).toBe(200)
  await pass(31 * MINUTE)
  expectRefusal(await operator.call('GET', '/api/operator/songs'), 403, 'operator_locked')
})

test('an idempotency key gets its first answer for 24 hours', async () => {
  const ada = await somebody(product())
  const submit = () =>
    ada.call<Song>('POST', '/api/songs', {
      json: { lyrics: 'la', style: 'folk' },
      headers: { 'idempotency-key': 'one-key' },
    })
  const first = await submit()
  await pass(DAY - MINUTE)
  const again = await submit()
  expect([again.body.id, again.headers['idempotency-replayed']]).toEqual([first.body.id, 'true'])
  await pass(2 * MINUTE)
  const later = await submit()
  expect([later.status, later.headers['idempotency-replayed']]).toEqual([201, undefined])
  expect(later.body.id).not.toBe(first.body.id)
})

test('a session expires after 7 idle days, and after 30 days also when it is used, and its live stream ends', async () => {
  const idle = await somebody(product())
  const busy = await somebody(product())
  const stream = await fetch(`${product().endpoints.web}/api/live`, { headers: { cookie: busy.cookie } })
  expect(stream.status).toBe(200)
  await pass(6 * DAY)
  expect(await me(busy)).toBe(200)
  await pass(DAY + MINUTE)
  expect([await me(idle), await me(busy)]).toEqual([401, 200])
  for (let days = 13; days <= 25; days += 6) {
    await pass(6 * DAY)
    expect(await me(busy)).toBe(200)
  }
  await pass(5 * DAY - 2 * MINUTE)
  expect(await me(busy)).toBe(200)
  await pass(2 * MINUTE)
  expect(await me(busy)).toBe(401)
  // it ends by itself; comments have kept it open until then
  const received = await stream.text()
  expect(received).toMatch(/^event: ready\n/)
  expect(received).toMatch(/^: /m)
})
