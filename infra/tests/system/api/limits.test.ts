import { beforeAll, expect, test, vi } from 'vitest'
import {
  caller,
  expectRefusal,
  giveCredits,
  productOfFile,
  type Reply,
  somebody,
  type Somebody,
  unlockedOperator,
} from '../../support/callers.ts'

const product = productOfFile({ RATE_LIMITS: 'on', TRUSTED_PROXY_HOPS: '1', STARTING_CREDITS: '300' })
let ada: Somebody
const MINUTE_MS = 60_000

beforeAll(async () => {
  ada = await somebody(product())
})

/** Waits for the start of a fixed window of a minute, so that requests that count together do not span two. */
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
  'a person may submit 30 songs and make 120 changes a minute; reads are not limited, and others are not affected',
  { timeout: 150_000 },
  async () => {
    await withinOneMinute(30_000)
    const submit = (person: Somebody) =>
      person.call('POST', '/api/songs', { json: { lyrics: 'la', style: 'x' } })
    const submits = await Promise.all(Array.from({ length: 30 }, () => submit(ada)))
    expect(submits.map(({ status }) => status)).toEqual(Array.from({ length: 30 }, () => 201))
    expectLimited(await submit(ada))
    // checked before the body
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

test('while 20 requests wait for credits a person has to top up first', { timeout: 150_000 }, async () => {
  const operator = await unlockedOperator(product())
  const poor = await somebody(product())
  await giveCredits(operator, poor.uid, -300)
  await withinOneMinute(30_000)
  const submit = () => poor.call('POST', '/api/songs', { json: { lyrics: 'la', style: 'x' } })
  for (let n = 0; n < 20; n++) expect((await submit()).status).toBe(201)
  expectRefusal(await submit(), 409, 'too_many_waiting', 'Top up first: 20 requests are waiting for credits.')
  await giveCredits(operator, poor.uid, 10)
  await vi.waitFor(async () => expect((await submit()).status).toBe(201), {
    timeout: 30_000,
    interval: 4_000,
  })
})

test(
  'an IP address may start 20 sign-ins a minute; forged forwarding headers do not raise the limit',
  { timeout: 150_000 },
  async () => {
    await withinOneMinute(30_000)
    const visitor = caller(product())
    const login = (forwarded: string) =>
      visitor('GET', '/api/auth/login', { headers: { 'x-forwarded-for': forwarded } })
    const began = await Promise.all(Array.from({ length: 20 }, (_, n) => login(`1.2.3.${n}, 9.9.9.9`)))
    expect(new Set(began.map(({ status }) => status))).toEqual(new Set([302]))
    expectLimited(await login('9.9.9.9'))
    expectLimited(await login('5.5.5.5, 9.9.9.9'))
    expect((await login('9.9.9.8')).status).toBe(302)
  },
)

test('after five wrong passwords every further attempt is refused, also the right one, over all sessions and a restart', async () => {
  const { email, password } = product().endpoints.operator
  const headers = (n: number): Record<string, string> => ({ 'idempotency-key': `k${n}` })
  const first = await somebody(product(), { email, name: 'Olu' })
  const second = await somebody(product(), { email, name: 'Olu' })
  const unlock = (session: Somebody, tried: string, n = 0) =>
    session.call('POST', '/api/operator/unlock', { json: { password: tried }, headers: headers(n) })
  for (let n = 0; n < 4; n++) expectRefusal(await unlock(first, 'wrong', n), 403, 'wrong_operator_password')
  // a right password resets the count
  expect((await unlock(second, password)).status).toBe(204)
  const wrong = await Promise.all([1, 2, 3, 4, 5].map((n) => unlock(n % 2 ? first : second, `wrong${n}`, n)))
  for (const reply of wrong) expectRefusal(reply, 403, 'wrong_operator_password')
  for (const session of [first, second, await somebody(product(), { email, name: 'Olu' })]) {
    const refused = await unlock(session, password)
    expectRefusal(refused, 429, 'too_many_requests')
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(14 * 60)
  }
  // a session that was unlocked before stays unlocked
  expect((await second.call('GET', '/api/operator/songs')).status).toBe(200)
  expect(await product().stop()).toBe(0)
  await product().start()
  expectRefusal(await unlock(first, password), 429, 'too_many_requests')
  expect((await second.call('GET', '/api/operator/songs')).status).toBe(200)
})
