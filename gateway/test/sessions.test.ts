import { createHash } from 'node:crypto'
import { RECENT_INPUT_HEADER, type SessionView } from '@prelude/contracts'
import { eventually } from '@prelude/platform/eventually'
import { expect, test } from 'vitest'
import { browserName } from '../src/accounts/browser-name.ts'
import { createSessions } from '../src/accounts/sessions.ts'
import { insertSession } from '../src/accounts/store/session.ts'
import { creditsStub, songsStub } from './stand-ins.ts'
import {
  ADA,
  type Browser,
  EVE,
  OPERATOR,
  type Options,
  PASSWORD,
  signIn,
  startGateway,
  type TestGateway,
  uidOf,
} from './start-gateway.ts'
import type { KeyValue } from '../src/api/key-value/port.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const services = { songs: songsStub().routes, credits: creditsStub().routes }
const closable: Options['services'] = {
  ...services,
  songs: (app) => app.get('/people/:uid/songs', async () => ({ ready: 0, cooking: 0, waiting: 0 })),
  payments: (app) => app.get('/people/:uid/under-way', async () => ({ count: 0 })),
}
/** What a browser adds, and what the web app adds while somebody uses it. */
const PAGE = { 'sec-fetch-site': 'same-origin' }
const INPUT = { ...PAGE, [RECENT_INPUT_HEADER]: '1' }

const statusOf = async (answer: Promise<Response>): Promise<number> => (await answer).status
const codeOf = async (answer: Promise<Response>): Promise<unknown> =>
  ((await (await answer).json()) as { code: unknown }).code
const unlock = (browser: Browser): Promise<number> =>
  statusOf(browser.post('/api/operator/unlock', { password: PASSWORD }))
const list = async (browser: Browser): Promise<SessionView[]> =>
  ((await (await browser.get('/api/sessions')).json()) as { items: SessionView[] }).items
/** Another client with the same cookies. */
const copyOf = (browser: Browser, into: Browser): Browser => {
  for (const [name, value] of browser.cookies) into.cookies.set(name, value)
  return into
}

test('unlocking changes the session id and ends the old one with its streams: a cookie from before is worth nothing', async () => {
  await using gateway = await startGateway({ services })
  const operator = await gateway.signIn(OPERATOR)
  const thief = copyOf(operator, gateway.visitor())
  const stream = await thief.get('/api/live')
  const [signedIn] = await list(operator)
  expect(await unlock(operator)).toBe(204)
  expect(operator.cookies.get('session')).not.toBe(thief.cookies.get('session'))
  expect(await codeOf(thief.get('/api/operator/songs'))).toBe('not_signed_in')
  expect(await stream.text()).toContain('ready')
  expect(await statusOf(operator.get('/api/operator/songs'))).toBe(200)
  const items = await list(operator)
  expect(items.map(({ id, createdAt }) => ({ id, createdAt }))).toEqual([
    { id: signedIn?.id, createdAt: signedIn?.createdAt },
  ])
})

test('a sign-out that overlaps an unlock ends the session that the unlock has given another id', async () => {
  await using gateway = await startGateway({ services })
  const operator = await gateway.signIn(OPERATOR)
  const before = copyOf(operator, gateway.visitor())
  expect(await unlock(operator)).toBe(204)
  expect(await statusOf(before.post('/api/auth/logout'))).toBe(204)
  expect(await codeOf(operator.get('/api/operator/songs'))).toBe('not_signed_in')
  const { rowCount } = await gateway.service.db.query('select from session_of')
  expect(rowCount).toBe(0)
})

test('an unlock does not prolong the session beyond 30 days from the sign-in', async () => {
  await using gateway = await startGateway({ services })
  const operator = await gateway.signIn(OPERATOR)
  for (let day = 6; day < 30; day += 6) {
    gateway.clock.pass(6 * 24 * HOUR_MS)
    expect(await unlock(operator)).toBe(204)
  }
  gateway.clock.pass(5 * 24 * HOUR_MS)
  expect(await statusOf(operator.get('/api/me'))).toBe(200)
  gateway.clock.pass(24 * HOUR_MS + MINUTE_MS)
  expect(await codeOf(operator.get('/api/me'))).toBe('not_signed_in')
})

test('an unlock ends after 30 minutes without the operator, and not before', async () => {
  await using gateway = await startGateway({ services })
  const operator = await gateway.operator()
  const reading = () => operator.get('/api/me', INPUT)
  const changing = () => operator.post('/api/operator/songs/x/refund', { reason: 'x' }, PAGE)
  const calling = () => operator.get('/api/operator/songs')
  for (const act of [reading, changing, calling, reading]) {
    gateway.clock.pass(HOUR_MS / 2 - MINUTE_MS)
    await act()
    expect([act.name, await statusOf(operator.get('/api/operator/songs', PAGE))]).toEqual([act.name, 200])
  }
  gateway.clock.pass(31 * MINUTE_MS)
  expect(await codeOf(operator.get('/api/operator/songs'))).toBe('operator_locked')
  expect(await statusOf(operator.get('/api/me'))).toBe(200)
  expect(await unlock(operator)).toBe(204)
  expect(await statusOf(operator.get('/api/operator/songs'))).toBe(200)
})

test('requests of a page that nobody uses do not keep an unlock', async () => {
  await using gateway = await startGateway({ services })
  const operator = await gateway.operator()
  for (let passed = 0; passed < 30; passed++) {
    expect(await statusOf(operator.get('/api/operator/songs', PAGE)), `${passed} min`).toBe(200)
    await operator.get('/api/me', PAGE)
    await operator.post('/api/client-errors', {}, PAGE)
    gateway.clock.pass(MINUTE_MS)
  }
  expect(await codeOf(operator.get('/api/operator/songs'))).toBe('operator_locked')
})

test('calls every few minutes do not keep an unlock beyond 12 hours', async () => {
  await using gateway = await startGateway({ services })
  const operator = await gateway.operator()
  for (let passed = 0; passed < 12 * 60; passed += 20) {
    expect(await statusOf(operator.get('/api/operator/songs')), `${passed} min`).toBe(200)
    gateway.clock.pass(20 * MINUTE_MS)
  }
  expect(await codeOf(operator.get('/api/operator/songs'))).toBe('operator_locked')
})

test('a person sees their sessions and ends one elsewhere, with its streams, or all others', async () => {
  await using gateway = await startGateway({ services })
  const before = gateway.clock.now()
  const here = await gateway.signIn(ADA)
  const phone = gateway.visitor()
  const login = await phone.get('/api/auth/login')
  const back = gateway.identity.agree(login.headers.get('location') ?? '', ADA)
  await phone.get(back, {
    'user-agent':
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
  })
  const third = await gateway.signIn(ADA)
  const eve = await gateway.signIn(EVE)

  const items = await list(here)
  expect(items.map(({ browser, current }) => [browser, current])).toEqual([
    ['node', false],
    ['Safari on iPhone', false],
    ['node', true],
  ])
  for (const one of items) {
    expect(one.createdAt).toBeGreaterThanOrEqual(before)
    expect(one.lastSeenAt).toBeGreaterThanOrEqual(one.createdAt)
    for (const { cookies } of [here, phone, third]) expect([...cookies.values()]).not.toContain(one.id)
  }
  const [, ofPhone] = items
  const end = (browser: Browser, id: string | undefined): Promise<Response> =>
    browser.send(`/api/sessions/${id}`, { method: 'DELETE' })
  for (const wrong of [end(eve, ofPhone?.id), end(here, 'no-id'), end(here, crypto.randomUUID())])
    expect(await codeOf(wrong)).toBe('not_found')
  const stream = await phone.get('/api/live')
  const ended = await end(here, ofPhone?.id)
  expect([ended.status, ended.headers.get('clear-site-data')]).toEqual([204, null])
  expect(await stream.text()).toContain('ready')
  expect(await codeOf(phone.get('/api/me'))).toBe('not_signed_in')

  expect(await statusOf(here.post('/api/auth/logout-everywhere'))).toBe(204)
  expect(await codeOf(third.get('/api/me'))).toBe('not_signed_in')
  for (const browser of [here, eve]) expect(await statusOf(browser.get('/api/me'))).toBe(200)
  const [own] = await list(here)
  const last = await end(here, own?.id)
  expect([last.status, last.headers.get('clear-site-data')]).toEqual([204, '"cache"'])
  expect(here.cookies.has('session')).toBe(false)
  for (const call of ['/api/sessions', '/api/me'])
    expect(await codeOf(gateway.visitor().get(call))).toBe('not_signed_in')
})

test('a person has 50 sessions: a sign-in ends the oldest with its streams, and all others end in one batch', async () => {
  await using gateway = await startGateway({ services })
  const oldest = await gateway.signIn(ADA)
  const stream = await oldest.get('/api/live')
  let [inFlight, peak] = [0, 0]
  const counted = new Proxy(gateway.kv, {
    get: (target, name: keyof KeyValue) =>
      name === 'getAndDelete'
        ? (key: string) => {
            peak = Math.max(peak, ++inFlight)
            return target.getAndDelete(key).finally(() => inFlight--)
          }
        : target[name].bind(target),
  })
  const sessions = createSessions(counted, gateway.service.db, gateway.clock)
  const start = (before?: string) => sessions.start({ uid: uidOf(ADA), authenticatedAt: 0 }, 'script', before)
  let script: string | undefined
  for (let n = 0; n < 48; n++) {
    gateway.clock.pass(1)
    script = (await start()).id
  }
  gateway.clock.pass(1)
  const newest = await gateway.signIn(ADA)
  await start(script) // in place of another one, which is not one more
  expect(await list(newest)).toHaveLength(50)
  expect(await statusOf(oldest.get('/api/me'))).toBe(200)
  await start()
  expect(await codeOf(oldest.get('/api/me'))).toBe('not_signed_in')
  expect(await stream.text()).toContain('ready')
  expect(await list(newest)).toHaveLength(50)
  peak = 0
  const { hash = '' } = (await sessions.read(newest.cookies.get('session') ?? '')) ?? {}
  await sessions.endOthers({ uid: uidOf(ADA), hash })
  expect([peak, await list(newest)]).toMatchObject([4 * 49, [{ current: true }]])
})

test('the operator ends the sessions of a person with their streams, and those of nobody else', async () => {
  await using gateway = await startGateway({ services })
  const browsers = [await gateway.signIn(ADA), await gateway.signIn(ADA)]
  const eve = await gateway.signIn(EVE)
  const operator = await gateway.operator()
  const streams = await Promise.all(browsers.map((ada) => ada.get('/api/live')))
  const end = (by: Browser, uid: string) =>
    by.send(`/api/operator/people/${uid}/sessions`, { method: 'DELETE' })
  expect(await codeOf(end(eve, uidOf(ADA)))).toBe('operator_only')
  expect(await codeOf(end(operator, 'nobody'))).toBe('user_not_found')
  expect(await statusOf(end(operator, uidOf(ADA)))).toBe(204)
  for (const ada of browsers) expect(await codeOf(ada.get('/api/me'))).toBe('not_signed_in')
  for (const stream of streams) expect(await stream.text()).toContain('ready')
  for (const one of [eve, operator]) expect(await statusOf(one.get('/api/me'))).toBe(200)
  const { items } = (await (await operator.get('/api/operator/audit')).json()) as { items: unknown[] }
  expect(items).toMatchObject([
    { action: 'end-sessions', outcome: 'ok', target: uidOf(ADA) },
    { action: 'end-sessions', outcome: 'user_not_found', target: 'nobody' },
    { action: 'unlock' },
  ])
  // who has none is as fine as who ended them already
  expect(await statusOf(end(operator, uidOf(ADA)))).toBe(204)
})

test('an end of sessions that fails half-way can be repeated: no session is alive and cannot be found', async () => {
  await using gateway = await startGateway({ services })
  const here = await gateway.signIn(ADA)
  const others = [await gateway.signIn(ADA), await gateway.signIn(ADA)]
  const down = new Proxy(gateway.kv, {
    get: (target, name: keyof KeyValue) =>
      name === 'getAndDelete' ? () => Promise.reject(new Error('down')) : target[name].bind(target),
  })
  const sessions = createSessions(down, gateway.service.db, gateway.clock)
  const uid = uidOf(ADA)
  await expect(sessions.endOthers({ uid, hash: 'of another' })).rejects.toThrow('down')
  await expect(sessions.endOne(uid, (await list(here))[0]?.id ?? '')).rejects.toThrow('down')
  expect(await list(here)).toHaveLength(3)
  expect(await statusOf(here.post('/api/auth/logout-everywhere'))).toBe(204)
  for (const other of others) expect(await codeOf(other.get('/api/me'))).toBe('not_signed_in')
})

test('a session that ended is not listed, whether by a sign-out, a new sign-in or idleness', async () => {
  await using gateway = await startGateway({ services })
  const left = await gateway.signIn(ADA)
  await left.post('/api/auth/logout')
  const idle = await gateway.signIn(ADA)
  gateway.clock.pass(6 * 24 * HOUR_MS)
  const here = await gateway.signIn(ADA)
  gateway.clock.pass(2 * 24 * HOUR_MS)
  await signIn(here, gateway.identity, ADA)
  expect(await list(here)).toMatchObject([{ current: true }])
  expect(await codeOf(idle.get('/api/me'))).toBe('not_signed_in')
})

test.for<[name: string, userAgent: string | undefined]>([
  [
    'Chrome on Windows',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0 Safari/537.36',
  ],
  [
    'Edge on Windows',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0 Safari/537.36 Edg/141.0',
  ],
  ['Firefox on Linux', 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0'],
  [
    'Chrome on Android',
    'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0 Mobile Safari/537.36',
  ],
  [
    'Safari on macOS',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15',
  ],
  ['curl', 'curl/8.9.1'],
  ['Unknown', '<script>'],
  ['Unknown', undefined],
])('a person recognises %s', ([name, userAgent]) => {
  expect(browserName(userAgent)).toBe(name)
})

test('signing out and closing the account have the browser drop what it cached; an expired session does not', async () => {
  await using gateway = await startGateway({ services: closable })
  const ada = await gateway.signIn(ADA)
  const out = await ada.post('/api/auth/logout')
  expect(out.headers.get('clear-site-data')).toBe('"cache"')
  const refused = await ada.get('/api/me')
  expect([refused.status, refused.headers.get('clear-site-data')]).toEqual([401, null])
  const again = await gateway.signIn(ADA)
  const closed = await again.post('/api/account/close', { email: ADA.email, credits: 25.5 })
  expect([closed.status, closed.headers.get('clear-site-data')]).toEqual([200, '"cache"'])
})

test('closing and exporting an account ask for a sign-in within the last hour; nothing else does', async () => {
  await using gateway = await startGateway({ services })
  const ada = await gateway.signIn(ADA)
  const codes = async (): Promise<unknown[]> => [
    await codeOf(ada.post('/api/account/close', { email: 'somebody@else.test', credits: 0 })),
    await codeOf(ada.get('/api/account/export')),
  ]
  gateway.clock.pass(HOUR_MS - MINUTE_MS)
  // both get as far as the services that do not run here
  expect(await codes()).toEqual(['unavailable', 'unavailable'])
  gateway.clock.pass(2 * MINUTE_MS)
  expect(await codes()).toEqual(['sign_in_again', 'sign_in_again'])
  expect(await statusOf(ada.get('/api/me'))).toBe(200)
  await signIn(ada, gateway.identity, ADA)
  expect(await codes()).toEqual(['unavailable', 'unavailable'])
})

test('unlocking is no sign-in: the operator is asked for one all the same, also about other people', async () => {
  await using gateway = await startGateway({ services })
  await gateway.signIn(ADA)
  const operator = await gateway.operator()
  const ada = `/api/operator/people/${uidOf(ADA)}`
  const codes = async (): Promise<unknown[]> => [
    await codeOf(operator.get('/api/account/export')),
    await codeOf(operator.get(`${ada}/export`)),
    await codeOf(operator.post('/api/operator/people/nobody/close', { reason: 'asked by letter' })),
  ]
  expect(await codes()).toEqual(['unavailable', 'unavailable', 'user_not_found'])
  gateway.clock.pass(HOUR_MS + MINUTE_MS)
  expect(await unlock(operator)).toBe(204)
  expect(await codes()).toEqual(['sign_in_again', 'sign_in_again', 'sign_in_again'])
})

const EXPORT = '/api/account/export'
const ADVERTISED = { claims_supported: ['sub', 'auth_time'] }

test('the provider is asked to let a person choose the account where it says that it can, and for a new proof of who is signed in', async () => {
  const asked = async (gateway: TestGateway, browser = gateway.visitor()) => {
    const { searchParams } = new URL((await browser.get('/api/auth/login')).headers.get('location') ?? '')
    return [searchParams.get('prompt'), searchParams.get('max_age')]
  }
  const AGAIN = ['login', '0']
  await using gateway = await startGateway({ services })
  expect(await asked(gateway)).toEqual([null, null])
  expect(await asked(gateway, await gateway.signIn(ADA))).toEqual(AGAIN)
  await using choosing = await startGateway({
    services,
    provider: { prompt_values_supported: ['login', 'select_account'] },
  })
  expect(await asked(choosing)).toEqual(['select_account', null])
  expect(await asked(choosing, await choosing.signIn(ADA))).toEqual(AGAIN)
  await using plain = await startGateway({ services, provider: { prompt_values_supported: ['none'] } })
  expect(await asked(plain, await plain.signIn(ADA))).toEqual([null, '0'])
})

test('a provider that answers a sign-in again with an old one is refused, and the session stays as it was', async () => {
  await using gateway = await startGateway({ services, provider: ADVERTISED })
  const ada = await gateway.signIn(ADA)
  const before = ada.cookies.get('session')
  gateway.clock.pass(HOUR_MS + MINUTE_MS)
  const hourAgo = Math.floor((gateway.clock.now() - HOUR_MS) / 1000)
  for (const auth_time of [hourAgo, null]) {
    const answer = await signIn(ada, gateway.identity, { ...ADA, auth_time })
    expect(answer.headers.get('location')).toBe('/?signin=signin_failed')
  }
  expect(ada.cookies.get('session')).toBe(before)
  expect(await codeOf(ada.get(EXPORT))).toBe('sign_in_again')
})

test('what counts is when a person proved who they are to the provider, not when they came from there', async () => {
  await using gateway = await startGateway({ services: closable, provider: ADVERTISED })
  const hourAgo = Math.floor((gateway.clock.now() - HOUR_MS) / 1000) - 60
  const ada = await gateway.signIn({ ...ADA, auth_time: hourAgo })
  const closing = async () => (await ada.get('/api/account/closing')).json()
  expect(await codeOf(ada.get(EXPORT))).toBe('sign_in_again')
  expect(await closing()).toMatchObject({ signInAgain: true })
  await signIn(ada, gateway.identity, ADA)
  expect(await closing()).toMatchObject({ signInAgain: false })
  // an unlock proves nothing about the person
  const operator = await gateway.signIn({ ...OPERATOR, auth_time: hourAgo })
  expect(await unlock(operator)).toBe(204)
  expect(await codeOf(operator.get(EXPORT))).toBe('sign_in_again')
  // of a provider with a fast clock
  const eve = await gateway.signIn({ ...EVE, auth_time: hourAgo + 36_000 })
  gateway.clock.pass(HOUR_MS + MINUTE_MS)
  expect(await codeOf(eve.get(EXPORT))).toBe('sign_in_again')
})

test('a provider that does not say when it asked is believed', async () => {
  await using gateway = await startGateway({ services })
  const ada = await gateway.signIn({ ...ADA, auth_time: null })
  expect(await codeOf(ada.get(EXPORT))).toBe('unavailable')
  gateway.clock.pass(HOUR_MS + MINUTE_MS)
  await signIn(ada, gateway.identity, { ...ADA, auth_time: null })
  expect(await codeOf(ada.get(EXPORT))).toBe('unavailable')
})

test('a sign-in attempt is bound to this host on https', async () => {
  await using gateway = await startGateway({ config: { publicUrl: 'https://prelude.example' } })
  const [cookie] = (await gateway.visitor().get('/api/auth/login')).headers.getSetCookie()
  expect(cookie).toMatch(/^__Host-sign-in-[^=]+=[^;]+; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
})

/** The account is closed while the row of the new session is written. */
test.for(['right before', 'right after'])(
  'a sign-in that overlaps the closing of its account leaves no session (%s its row is written)',
  async (when) => {
    await using gateway = await startGateway({ services })
    await gateway.signIn(ADA)
    const { db, admin } = gateway.service
    const uid = uidOf(ADA)
    const close = async (): Promise<void> => {
      const { rows } = await admin.query<{ hash: string }>(
        `with gone as (delete from user_record where uid = $1) delete from session_of where uid = $1 returning hash`,
        [uid],
      )
      await real.endAll(rows.map(({ hash }) => hash))
    }
    const real = createSessions(gateway.kv, db, gateway.clock)
    const written: string[] = []
    const noted = new Proxy(gateway.kv, {
      get: (target, name: keyof KeyValue) =>
        name === 'set'
          ? (key: string, value: string, ttlMs: number) => (written.push(key), target.set(key, value, ttlMs))
          : target[name].bind(target),
    })
    const overlapped = createSessions(
      noted,
      new Proxy(db, {
        get: (target, name: keyof typeof db) =>
          name === 'query'
            ? async (sql: string, params: readonly unknown[]) => {
                if (when === 'right before') await close()
                const done = await target.query(sql, params)
                if (when === 'right after') await close()
                return done
              }
            : target[name],
      }),
      gateway.clock,
    )
    await overlapped.start({ uid, authenticatedAt: 0 }, 'node', undefined).catch(() => null)
    expect(written).toHaveLength(2)
    for (const key of written) expect(await gateway.kv.get(key)).toBeNull()
  },
)

test('the closing of an account waits for a session that is being written, and ends it', async () => {
  await using gateway = await startGateway({ services })
  await gateway.signIn(ADA)
  const uid = uidOf(ADA)
  const { db, admin } = gateway.service
  const written = Promise.withResolvers<void>()
  const commit = Promise.withResolvers<void>()
  const hash = createHash('sha256').update('x').digest('base64url')
  const writing = db.transaction(async (tx) => {
    const row = { id: crypto.randomUUID(), hash, uid, createdAt: 0, expiresAt: 1, browser: 'node' }
    expect(await insertSession(tx, row)).toBe(true)
    written.resolve()
    await commit.promise
  })
  await written.promise
  const closing = admin.query('delete from user_record where uid = $1', [uid])
  await eventually(async () => {
    const { rowCount } = await admin.query(
      `select from pg_stat_activity where wait_event_type = 'Lock' and query like 'delete from user_record%'`,
    )
    expect(rowCount).toBe(1)
  })
  commit.resolve()
  await Promise.all([writing, closing])
})
