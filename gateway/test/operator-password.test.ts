import { peopleApi } from '@prelude/contracts'
import { AppError, type Logger, newId } from '@prelude/platform'
import type { FastifyInstance } from 'fastify'
import { eventually } from '@prelude/platform/eventually'
import { expect, test } from 'vitest'
import { hashPassword, isPassword } from '../src/operator/password-hash.ts'
import { creditsStub, paymentOf, songOf, songsStub } from './stand-ins.ts'
import {
  ADA,
  type Browser,
  OPERATOR,
  PASSWORD,
  startGateway,
  type TestGateway,
  uidOf,
} from './start-gateway.ts'

/** Where the admin password is asked for, and what happens when it is wrong. */

const refunds: object[] = []
/** Changes have no answer. */
let isLost = false
/** The next change waits for it, and is refused. */
let refusal: Promise<void> | null = null
function loseAnswers(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ method }) => {
    if (method === 'GET') return
    if (isLost) throw new AppError('unavailable')
    if (refusal === null) return
    const resolved = refusal
    refusal = null
    await resolved
    throw new AppError('song_already_ready')
  })
}
function paymentsStub(app: FastifyInstance): void {
  loseAnswers(app)
  app.put('/payments/:id/refunds/:refundId', async (request) => {
    refunds.push(request.body as object)
    return paymentOf({ id: 'p', status: 'refunded' })
  })
  for (const [method, url] of [
    ['POST', '/transfers/:id/confirm'],
    ['PUT', '/settled-transfers/:id'],
  ] as const)
    app.route({ method, url, handler: async () => paymentOf({ id: 'p', status: 'paid' }) })
}
const credits = creditsStub()
const songs = songsStub()
const services = {
  songs: (app: FastifyInstance) => {
    loseAnswers(app)
    songs.routes(app)
  },
  credits: credits.routes,
  payments: paymentsStub,
}

const codeOf = async (answer: Promise<Response>): Promise<unknown> => {
  const given = await answer
  return given.ok ? given.status : ((await given.json()) as { code: unknown }).code
}
const unlock = (browser: Browser, password: string) =>
  codeOf(browser.post('/api/operator/unlock', { password }))
const emittedOf = async (gateway: TestGateway, type: string) =>
  (await gateway.service.emitted()).filter((event) => event.type === type).map(({ data }) => data)

test('an adjustment or refund above the configured size needs the password again, and a smaller one does not', async () => {
  await using gateway = await startGateway({ services })
  await gateway.signIn(ADA)
  const operator = await gateway.operator()
  const adjust = (amount: number, more: object = {}) =>
    codeOf(operator.post('/api/operator/credits', { uid: uidOf(ADA), credits: amount, reason: 'x', ...more }))
  const refund = (amount: number, more: object = {}) =>
    codeOf(operator.post(`/api/operator/payments/${newId()}/refund`, { amount, ...more }))
  for (const amount of [1000, -1000]) expect(await adjust(amount)).toBe(200)
  expect(await refund(1000)).toBe(200)
  const before = [credits.adjusted.size, refunds.length]
  for (const amount of [1000.01, -1000.01]) {
    expect(await adjust(amount)).toBe('operator_password_required')
    expect(await adjust(amount, { password: 'wrong' })).toBe('wrong_operator_password')
  }
  expect(await refund(1000.01)).toBe('operator_password_required')
  expect([credits.adjusted.size, refunds.length]).toEqual(before)
  expect(await adjust(1000.01, { password: PASSWORD })).toBe(200)
  expect(await refund(1000.01, { password: PASSWORD })).toBe(200)
  // the amount is judged first
  for (const amount of [10_000.01, -10_000.01]) expect(await adjust(amount)).toBe('amount_too_high')
  expect(await adjust(10_000, { password: PASSWORD })).toBe(200)
})

const NAIRA = 1_480
/** All that gives or returns credits, a number of them. */
async function operatorOf(gateway: TestGateway) {
  await gateway.signIn(ADA)
  const operator = await gateway.operator()
  const post = (path: string, body: object, headers?: Record<string, string>) =>
    codeOf(operator.post(`/api/operator/${path}`, body, headers))
  const aSong = (price: number): string => {
    const id = newId()
    songs.songs.set(id, songOf({ id, price, charge: 'charged' }))
    return id
  }
  const aboutSong = (act: string) => (price: number, more: object) =>
    post(`songs/${aSong(price)}/${act}`, { reason: 'x', ...more })
  const adjust = (amount: number, more: object = {}) =>
    post('credits', { uid: uidOf(ADA), credits: amount, reason: 'x', ...more })
  const refund = (amount: number, more: object = {}, headers?: Record<string, string>) =>
    post(`payments/${PAYMENT}/refund`, { amount, ...more }, headers)
  const ways: ((amount: number, more: object) => Promise<unknown>)[] = [
    adjust,
    refund,
    (amount, more) => post(`transfers/${newId()}/confirm`, { amount: amount * NAIRA, ...more }),
    (amount, more) => post('transfers', { email: ADA.email, amount: amount * NAIRA, ...more }),
    aboutSong('refund'),
    aboutSong('decline'),
  ]
  const refundSong = (id: string, more: object = {}) => post(`songs/${id}/refund`, { reason: 'x', ...more })
  /** Each gives 600 credits once, however often it is called. */
  const onceOnly = (): (() => Promise<unknown>)[] => {
    const [refunded, declined, transfer] = [aSong(600), aSong(600), newId()]
    return [
      () => refund(600, {}, { 'idempotency-key': 'k' }),
      () => post(`transfers/${transfer}/confirm`, { amount: 600 * NAIRA }),
      () => refundSong(refunded),
      () => post(`songs/${declined}/decline`, { reason: 'x' }),
    ]
  }
  const passHour = () => gateway.service.admin.query('update unconfirmed_credit set at = at - 3600000')
  return { adjust, aSong, refundSong, ways, onceOnly, passHour }
}
const PAYMENT = newId()
const BLOCKED =
  'select from pg_stat_activity where cardinality(pg_blocking_pids(pid)) > 0 and datname = current_database()'
const isDone = expect.toBeOneOf([200, 201])

test('what is given and returned within an hour has one limit for all ways; with the password it does not count', async () => {
  await using gateway = await startGateway({ services, config: { rateLimits: true } })
  const { adjust, ways, onceOnly, passHour } = await operatorOf(gateway)
  for (const way of ways) expect(await way(166, {})).toEqual(isDone)
  for (const way of ways) {
    expect(await way(25, {})).toBe('operator_password_required')
    expect(await way(25, { password: 'wrong' })).toBe('wrong_operator_password')
    expect(await way(25, { password: PASSWORD })).toEqual(isDone)
  }
  for (const amount of [-1000, 4]) expect(await adjust(amount)).toBe(200)
  expect(await adjust(0.01)).toBe('operator_password_required')
  await passHour()
  // what is refused gives nothing
  expect(await adjust(1000, { uid: 'nobody' })).toBe('user_not_found')
  const atOnce = await gateway.service.db.transaction(async (tx) => {
    await tx.query('lock table unconfirmed_credit in share mode') // the sum can be read, but nothing added
    const calls = [1, 2].map(() => adjust(600))
    await eventually(async () => expect((await gateway.service.admin.query(BLOCKED)).rowCount).toBe(2))
    return calls
  })
  expect(new Set(await Promise.all(atOnce))).toEqual(new Set([200, 'operator_password_required']))
  await passHour()
  // a failure perhaps gave it; repeated, it is the same
  for (const way of onceOnly()) {
    isLost = true
    expect(await way()).toBe('unavailable')
    isLost = false
    expect(await adjust(500)).toBe('operator_password_required')
    expect(await way()).toBe(200)
    await passHour()
  }
})

test('a refund that is refused takes nothing off the sum of one of the same song that was done meanwhile', async () => {
  await using gateway = await startGateway({ services, config: { rateLimits: true } })
  const { adjust, aSong, refundSong } = await operatorOf(gateway)
  const song = aSong(400)
  const { promise, resolve } = Promise.withResolvers<void>()
  refusal = promise
  const refused = refundSong(song)
  await eventually(() => expect(refusal).toBeNull())
  expect(await refundSong(song, { delivered: true })).toBe(200)
  resolve()
  expect(await refused).toBe('song_already_ready')
  expect(await adjust(601)).toBe('operator_password_required')
})

test('one call gives 10,000 credits at most, also with the password; without limits nothing is summed', async () => {
  await using gateway = await startGateway({ services })
  const { ways } = await operatorOf(gateway)
  for (const way of ways) {
    expect(await way(10_000.01, { password: PASSWORD })).toBe('amount_too_high')
    expect(await way(10_000, { password: PASSWORD })).toEqual(isDone)
    expect(await way(1000.01, {})).toBe('operator_password_required')
    for (const _ of [1, 2]) expect(await way(1000, {})).toEqual(isDone)
  }
})

test('the size is a setting', async () => {
  await using gateway = await startGateway({ services, config: { confirmAboveCents: 500 } })
  await gateway.signIn(ADA)
  const operator = await gateway.operator()
  const body = { uid: uidOf(ADA), credits: 5.01, reason: 'x' }
  expect(await codeOf(operator.post('/api/operator/credits', body))).toBe('operator_password_required')
  // what a song cost may be above it too
  const refund = (price: number | null, more: object = {}) => {
    const id = newId()
    songs.songs.set(id, songOf({ id, price }))
    return codeOf(operator.post(`/api/operator/songs/${id}/refund`, { reason: 'x', ...more }))
  }
  expect(await refund(5)).toBe(200)
  for (const price of [5.01, null]) {
    expect(await refund(price)).toBe('operator_password_required')
    expect(await refund(price, { password: 'wrong' })).toBe('wrong_operator_password')
    expect(await refund(price, { password: PASSWORD })).toBe(200)
  }
})

test('guesses at an adjustment count like those at an unlock', async () => {
  await using gateway = await startGateway({ services })
  await gateway.signIn(ADA)
  const operator = await gateway.operator()
  const body = { uid: uidOf(ADA), credits: 2000, reason: 'x' }
  const adjust = (password: string) => codeOf(operator.post('/api/operator/credits', { ...body, password }))
  for (let n = 0; n < 5; n++) expect(await adjust('wrong')).toBe('wrong_operator_password')
  expect(await adjust(PASSWORD)).toBe('too_many_requests')
  expect(await unlock(operator, PASSWORD)).toBe('too_many_requests')
})

test('a password that was sent with an idempotency key cannot be found from what is kept', async () => {
  await using gateway = await startGateway({ services })
  await gateway.signIn(ADA)
  const operator = await gateway.operator()
  const body = { uid: uidOf(ADA), credits: 2000, reason: 'x', password: PASSWORD }
  const send = () => operator.post('/api/operator/credits', body, { 'idempotency-key': 'k1' })
  const first = await (await send()).json()
  const again = await send()
  expect([await again.json(), again.headers.get('idempotency-replayed')]).toEqual([first, 'true'])
  const { rows } = await gateway.service.admin.query<{ fingerprint: string }>('select * from idempotency_key')
  const plain = await crypto.subtle.digest('SHA-256', Buffer.from(`\n${JSON.stringify(body)}`))
  expect(rows.map(({ fingerprint }) => fingerprint)).toEqual([expect.stringMatching(/^[\w-]{43}$/)])
  expect(rows[0]?.fingerprint).not.toBe(Buffer.from(plain).toString('base64url'))
  expect(JSON.stringify(rows)).not.toContain(PASSWORD)
})

test('the first unlock of a sign-in emits an event, a later one of the same session does not', async () => {
  await using gateway = await startGateway({ services })
  const operator = await gateway.signIn(OPERATOR)
  for (let n = 0; n < 2; n++) expect(await unlock(operator, PASSWORD)).toBe(204)
  const [session] = ((await (await operator.get('/api/sessions')).json()) as { items: { id: string }[] })
    .items
  expect(await emittedOf(gateway, 'OperatorUnlocked')).toEqual([
    { sessionId: session?.id, uid: uidOf(OPERATOR) },
  ])
  await gateway.operator()
  expect(await emittedOf(gateway, 'OperatorUnlocked')).toHaveLength(2)
})

test('wrong passwords that reach the limit emit one event, whatever number follows', async () => {
  await using gateway = await startGateway({ services })
  const operator = await gateway.signIn(OPERATOR)
  const before = gateway.clock.now()
  for (let n = 0; n < 5; n++) expect(await unlock(operator, 'wrong')).toBe('wrong_operator_password')
  expect(await emittedOf(gateway, 'UnlockLimitReached')).toEqual([])
  for (let n = 0; n < 3; n++) expect(await unlock(operator, PASSWORD)).toBe('too_many_requests')
  const events = await emittedOf(gateway, 'UnlockLimitReached')
  expect(events).toEqual([{ uid: uidOf(OPERATOR), since: expect.any(Number) }])
  expect((events[0] as { since: number }).since).toBeGreaterThanOrEqual(before)
})

test('a command forgets the wrong passwords, and is in the audit', async () => {
  await using gateway = await startGateway({ services })
  const operator = await gateway.signIn(OPERATOR)
  for (let n = 0; n < 6; n++) await unlock(operator, 'wrong')
  expect(await unlock(operator, PASSWORD)).toBe('too_many_requests')
  await gateway.service.api(peopleApi).clearUnlockLimit({})
  expect(await unlock(operator, PASSWORD)).toBe(204)
  const { items } = (await (await operator.get('/api/operator/audit?limit=5')).json()) as { items: object[] }
  expect(items).toContainEqual(
    expect.objectContaining({ action: 'clear-unlock-limit', outcome: 'ok', target: null }),
  )
})

test('a new hash is made with N = 2^17; one that was made with less still verifies', async () => {
  const hash = await hashPassword('open sesame')
  expect(hash).toMatch(/^scrypt\$131072\$8\$1\$/)
  expect([await isPassword('open sesame', hash), await isPassword('open Sesame', hash)]).toEqual([
    true,
    false,
  ])
  // of this password, made with N = 2^15
  const older = 'scrypt$32768$8$1$AAECAwQFBgcICQoLDA0ODw$uFDby5L21KPdiJ2LzPh8JWD7mRrTUMVzk1hGEkkYclc'
  expect([await isPassword('open sesame', older), await isPassword('x', older)]).toEqual([true, false])
})

test('one password is hashed at a time: five at once would need more memory than an instance has', async () => {
  const operatorPasswordHash = await hashPassword(PASSWORD)
  await using gateway = await startGateway({ services, config: { operatorPasswordHash } })
  const operator = await gateway.signIn(OPERATOR)
  const before = process.memoryUsage().rss
  let most = 0
  const sampling = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 5)
  await Promise.all(Array.from({ length: 5 }, () => unlock(operator, 'wrong')))
  clearInterval(sampling)
  expect(most - before).toBeLessThan(2.5 * 128 * 2 ** 20)
})

test('requests in the log bear pseudonyms of person and network; refused access is a line of its own', async () => {
  const lines: Record<string, unknown>[] = []
  const note = (level: string) => (given: object, msg: string) => void lines.push({ ...given, level, msg })
  const noted = (logger: Logger): Logger =>
    new Proxy(logger, {
      get: (target, name: keyof Logger) =>
        name === 'info' || name === 'warn' ? note(name) : (target[name] as unknown),
    })
  await using gateway = await startGateway({ services, logger: noted, config: { trustedProxyHops: 1 } })
  const ada = await gateway.signIn(ADA)
  const from = (address: string) => ({ 'x-forwarded-for': address })
  lines.length = 0
  for (const address of ['203.0.113.7', '203.0.113.99', '198.51.100.7', '2001:db8::1', '2001:db8:0:0:9::2'])
    await ada.get('/api/credits', from(address))
  await gateway.visitor().get('/api/me', from('203.0.113.7'))
  await ada.get('/api/operator/songs', from('203.0.113.7'))
  await eventually(() => expect(lines.filter(({ msg }) => msg === 'request')).toHaveLength(7))
  const requests = lines.filter(({ msg }) => msg === 'request')
  const [first, second, elsewhere, v6, sameHousehold, nobody, refused] = requests
  expect(first).toMatchObject({ person: expect.stringMatching(/^[\w-]{12}$/), network: expect.any(String) })
  for (const own of [second, elsewhere, v6, refused]) expect(own?.['person']).toBe(first?.['person'])
  expect(nobody?.['person']).toBeNull()
  expect(second?.['network']).toBe(first?.['network'])
  expect(nobody?.['network']).toBe(first?.['network'])
  expect(sameHousehold?.['network']).toBe(v6?.['network'])
  expect(new Set([first, elsewhere, v6].map((line) => line?.['network'])).size).toBe(3)
  expect(lines.filter(({ msg }) => msg === 'access refused')).toEqual([
    expect.objectContaining({
      level: 'warn',
      code: 'operator_only',
      route: '/api/operator/songs',
      person: first?.['person'],
    }),
  ])
  expect(JSON.stringify(lines)).not.toMatch(new RegExp(`203\\.0|2001:db8|${uidOf(ADA)}`))
})
