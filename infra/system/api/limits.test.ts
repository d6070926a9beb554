import { beforeAll, expect, test, vi } from 'vitest'
import { caller, expectRefusal, productOfFile, type Reply, somebody, type Somebody } from './callers.ts'

const product = productOfFile({ RATE_LIMITS: 'on', TRUSTED_PROXY_HOPS: '1' })
let ada: Somebody
const MINUTE_MS = 60_000

beforeAll(async () => {
  ada = await somebody(product())
})

/** All within one of the fixed minutes: what counts together must not lie on both sides of its end. */
async function withinOneMinute(needsMs: number): Promise<void> {
  await vi.waitFor(() => expect(Date.now() % MINUTE_MS).toBeLessThan(MINUTE_MS - needsMs), {
    timeout: needsMs + 1000,
    interval: 20,
  })
}

function expectLimited(reply: Reply<unknown>): void {
  expectRefusal(reply, 429, 'too_many_requests')
  const seconds = Number(reply.headers['retry-after'])
  expect(seconds).toBeGreaterThanOrEqual(1)
  expect(seconds).toBeLessThanOrEqual(60)
}

test(
  'a person may submit 30 times and change state 120 times in a minute; reading is free, and others are not held up',
  { timeout: 60_000 },
  async () => {
    await withinOneMinute(15_000)
    const submit = (person: Somebody) =>
      person.call('POST', '/api/songs', { json: { lyrics: 'la', style: 'x' } })
    const submits = await Promise.all(Array.from({ length: 30 }, () => submit(ada)))
    expect(submits.map(({ status }) => status)).toEqual(Array.from({ length: 30 }, () => 201))
    expectLimited(await submit(ada))
    // it comes before the body is looked at
    expectLimited(await ada.call('POST', '/api/songs', { raw: '{broken' }))
    const others = await Promise.all(
      Array.from({ length: 88 }, () => ada.call('POST', '/api/payments', { json: { amount: 1 } })),
    )
    expect(new Set(others.map(({ status }) => status))).toEqual(new Set([400]))
    expectLimited(await ada.call('POST', '/api/payments', { json: { amount: 1 } }))
    expect((await ada.call('GET', '/api/songs')).status).toBe(200)
    const eve = await somebody(product())
    expect((await submit(eve)).status).toBe(201)
    const webhook = await ada.call('POST', '/api/webhooks/stripe', { raw: '{}' })
    expectRefusal(webhook, 400, 'bad_signature')
  },
)

test('an address may begin 20 sign-ins in a minute; what it says of itself does not help it', async () => {
  await withinOneMinute(5_000)
  const visitor = caller(product())
  const login = (forwarded: string) =>
    visitor('GET', '/api/auth/login', { headers: { 'x-forwarded-for': forwarded } })
  const began = await Promise.all(Array.from({ length: 20 }, (_, n) => login(`1.2.3.${n}, 9.9.9.9`)))
  expect(new Set(began.map(({ status }) => status))).toEqual(new Set([302]))
  expectLimited(await login('9.9.9.9'))
  expectLimited(await login('5.5.5.5, 9.9.9.9'))
  expect((await login('9.9.9.8')).status).toBe(302)
})

test('after five wrong passwords every further try waits, the right one too, over all sessions and a restart', async () => {
  const { email, password } = product().endpoints.operator
  const headers = (n: number): Record<string, string> => ({ 'idempotency-key': `k${n}` })
  const first = await somebody(product(), { email, name: 'Olu' })
  const second = await somebody(product(), { email, name: 'Olu' })
  const unlock = (session: Somebody, tried: string, n = 0) =>
    session.call('POST', '/api/operator/unlock', { json: { password: tried }, headers: headers(n) })
  for (let n = 0; n < 4; n++) expectRefusal(await unlock(first, 'wrong', n), 403, 'wrong_operator_password')
  // a right one resets
  expect((await unlock(second, password)).status).toBe(204)
  const wrong = await Promise.all([1, 2, 3, 4, 5].map((n) => unlock(n % 2 ? first : second, `wrong${n}`, n)))
  for (const reply of wrong) expectRefusal(reply, 403, 'wrong_operator_password')
  for (const session of [first, second, await somebody(product(), { email, name: 'Olu' })]) {
    const refused = await unlock(session, password)
    expectRefusal(refused, 429, 'too_many_requests')
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(14 * 60)
  }
  // who was unlocked before stays so
  expect((await second.call('GET', '/api/operator/songs')).status).toBe(200)
  expect(await product().stop()).toBe(0)
  await product().start()
  expectRefusal(await unlock(first, password), 429, 'too_many_requests')
  expect((await second.call('GET', '/api/operator/songs')).status).toBe(200)
})
