import { expect, test } from 'vitest'
import { type Me, SESSION_CHANNEL } from '@prelude/contracts'
import type { FastifyInstance } from 'fastify'
import type { Claims } from './identity-stand-in.ts'
import { safeReturnTo } from '../src/accounts/return-to.ts'
import { ADA, EVE, OPERATOR, PASSWORD, PUBLIC_URL, signIn, startGateway, uidOf } from './start-gateway.ts'
import type { KeyValue } from '../src/api/key-value/port.ts'

const credits = (app: FastifyInstance): void => {
  app.get('/accounts/:uid', async () => ({ uid: 'x', balanceCents: 2550, debtCents: 0, version: 3 }))
}

test('the first sign-in creates the record and emits one event; a later one refreshes it for all sessions', async () => {
  await using gateway = await startGateway({ services: { credits } })
  const first = await gateway.signIn({ ...ADA, given_name: 'Augusta', picture: 'https://img.example/a.png' })
  expect(await (await first.get('/api/me')).json()).toEqual({
    uid: uidOf(ADA),
    name: 'Ada Lovelace',
    firstName: 'Augusta',
    email: 'ada@example.org',
    photoURL: 'https://img.example/a.png',
    role: 'user',
    credits: 25.5,
    operator: { eligible: false, unlocked: false },
  })
  await gateway.signIn({ ...ADA, name: 'Countess', email: 'new@example.org' })
  expect(await (await first.get('/api/me')).json()).toMatchObject({
    name: 'Countess',
    firstName: 'Countess',
    email: 'new@example.org',
  })
  expect(await gateway.service.emitted()).toMatchObject([
    { type: 'UserRegistered', data: { uid: uidOf(ADA) } },
  ])
})

test('a person without a name has none, and a ledger that does not answer leaves credits null', async () => {
  await using gateway = await startGateway()
  const stranger = { sub: 'x', email: 'x@example.org', email_verified: true }
  // some providers put the address into the name
  for (const claims of [stranger, { ...stranger, name: stranger.email }]) {
    const browser = await gateway.signIn(claims)
    expect(await (await browser.get('/api/me')).json()).toMatchObject({
      name: null,
      firstName: null,
      credits: null,
    })
  }
})

test('the cookie is HttpOnly and Lax; on https it is also Secure and bound to the host, and no other name is read', async () => {
  await using plain = await startGateway()
  const answer = await signIn(plain.visitor(), plain.identity, ADA)
  const cookie = answer.headers.getSetCookie().find((line) => line.startsWith('session='))
  expect(cookie).toMatch(/; Path=\/; HttpOnly; SameSite=Lax$/)
  await using secure = await startGateway({ config: { publicUrl: 'https://prelude.example' } })
  const browser = secure.visitor()
  const sealed = await signIn(browser, secure.identity, ADA)
  const name = sealed.headers.getSetCookie().find((line) => line.startsWith('__Host-session='))
  expect(name).toMatch(/; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
  const session = browser.cookies.get('__Host-session') ?? ''
  const statusWith = async (cookie: string) => (await secure.visitor().get('/api/me', { cookie })).status
  expect([await statusWith(`__Host-session=${session}`), await statusWith(`session=${session}`)]).toEqual([
    200, 401,
  ])
})

test('no token of the identity provider reaches the browser or is stored, nor is the id in the cookie stored', async () => {
  const kept: string[] = []
  const kv = (real: KeyValue): KeyValue => ({
    ...real,
    set: (...entry) => {
      kept.push(entry[0], entry[1])
      return real.set(...entry)
    },
  })
  await using gateway = await startGateway({ kv, services: { credits } })
  const browser = gateway.visitor()
  const answers = [
    await signIn(browser, gateway.identity, ADA),
    await signIn(browser, gateway.identity, ADA, '?mode=popup'),
    await browser.get('/api/me'),
    await browser.get('/api/sessions'),
  ]
  for (const table of ['user_record', 'session_of', 'event'])
    kept.push(JSON.stringify((await gateway.service.admin.query(`select * from gateway.${table}`)).rows))
  const id = browser.cookies.get('session') ?? ''
  expect(id).toHaveLength(43)
  expect(kept.join('\n')).not.toContain(id)
  for (const answer of answers) kept.push(JSON.stringify([...answer.headers]), await answer.text())
  const all = kept.join('\n')
  expect(all).toContain('ada@example.org')
  expect(gateway.identity.tokens).toHaveLength(4)
  for (const token of gateway.identity.tokens) expect(all).not.toContain(token)
})

const WISHES = [
  ['/payment-success?a=b#c', '/payment-success?a=b#c'],
  ['https://evil.example/', '/'],
  ['//evil.example/', '/'],
  ['/\\evil.example/', '/'],
  ['/\t/evil.example/', '/'],
  ['/api/auth/logout', '/'],
  ['/x/../api/me', '/'],
  ['/%61pi/me', '/'],
  ['javascript:alert(1)', '/'],
] as const
test('returnTo leads to a page of the app and nowhere else', () => {
  expect(WISHES.map(([wish]) => [wish, safeReturnTo(wish, PUBLIC_URL)])).toEqual(WISHES)
})

test('after sign-in a person is where they wanted to be', async () => {
  await using gateway = await startGateway()
  const wish = encodeURIComponent('/payment-success?a=b#c')
  const answer = await signIn(gateway.visitor(), gateway.identity, ADA, `?returnTo=${wish}`)
  expect([answer.status, answer.headers.get('location')]).toEqual([302, '/payment-success?a=b#c'])
})

test('a popup whose attempt is over tells its opener and closes; without one the app says so', async () => {
  await using gateway = await startGateway({ services: { credits } })
  const answer = (state: string) => gateway.visitor().get(`/api/auth/callback?state=${state}.x&code=c`)
  const popup = await answer('pgone')
  expect([popup.status, await popup.text()]).toEqual([200, expect.stringContaining('signin_failed')])
  expect((await answer('rgone')).headers.get('location')).toBe('/?signin=signin_failed')
})

test('a popup gets a page that broadcasts to the other tabs and closes, under a policy that runs only its script', async () => {
  await using gateway = await startGateway()
  const answer = await signIn(gateway.visitor(), gateway.identity, ADA, '?mode=popup')
  const html = await answer.text()
  expect(answer.status).toBe(200)
  expect(html).toContain(SESSION_CHANNEL)
  expect(html).toContain('signed-in')
  expect(answer.headers.get('content-security-policy')).toMatch(/script-src 'sha256-/)
  expect(answer.headers.get('cross-origin-opener-policy')).toBe('unsafe-none')
  const refused = await signIn(
    gateway.visitor(),
    gateway.identity,
    { ...EVE, email_verified: false },
    '?mode=popup',
  )
  expect(await refused.text()).toContain('Your account provider does not confirm your e-mail address.')
})

test('what the ID token leaves out is asked of userinfo; an address is verified where it comes from', async () => {
  await using gateway = await startGateway()
  const { sub, email = '' } = ADA
  const token = { sub, email }
  const namesOf = async (claims: Claims) => {
    const answer = await (await gateway.signIn(claims)).get('/api/me')
    const { name, firstName } = (await answer.json()) as Me
    return [name, firstName]
  }
  const verified = { email, email_verified: true }
  expect(await namesOf({ ...token, userinfo: { ...verified, name: 'Ada L.' } })).toEqual(['Ada L.', 'Ada'])
  expect(await namesOf({ sub, ...verified, userinfo: { name: 'Ada B.' } })).toEqual(['Ada B.', 'Ada'])
  const family = { name: 'Nagy János', userinfo: { given_name: 'János' } }
  expect(await namesOf({ sub, ...verified, ...family })).toEqual(['Nagy János', 'János'])
  const otherwise = [
    { ...token, userinfo: { email: 'eve@example.org', email_verified: false } },
    { ...token, email_verified: false, userinfo: { email, email_verified: true } },
  ]
  for (const claims of otherwise) {
    const answer = await signIn(gateway.visitor(), gateway.identity, claims)
    expect(answer.headers.get('location')).toBe('/?signin=email_not_verified')
  }
})

test('a provider that never says whether addresses are verified is believed where it is trusted, and not one that denies it', async () => {
  const { sub, email = '' } = ADA
  const answersOf = async (oidcTrustEmails: boolean) => {
    await using gateway = await startGateway({ config: { oidcTrustEmails } })
    const signInWith = (userinfo: Claims['userinfo']) =>
      signIn(gateway.visitor(), gateway.identity, { sub, email, ...(userinfo && { userinfo }) })
    const answers = [await signInWith({ email }), await signInWith({ email, email_verified: false })]
    return answers.map(({ headers }) => headers.get('location'))
  }
  const refused = '/?signin=email_not_verified'
  expect(await answersOf(true)).toEqual(['/', refused])
  expect(await answersOf(false)).toEqual([refused, refused])
})

test('an unverified address is refused and makes no record', async () => {
  await using gateway = await startGateway()
  const browser = gateway.visitor()
  const answer = await signIn(browser, gateway.identity, { ...EVE, email_verified: false })
  expect(answer.headers.get('location')).toBe('/?signin=email_not_verified')
  expect(browser.cookies.has('session')).toBe(false)
  expect((await gateway.service.admin.query('select 1 from user_record')).rowCount).toBe(0)
})

test('what a provider says has limits: a longer name is cut, a longer photo address left out, a longer address refused', async () => {
  await using gateway = await startGateway()
  const letters = (count: number): string => '🎵'.repeat(count)
  const photo = (length: number): string => 'https://example.org/'.padEnd(length, 'a')
  const email = (length: number): string => '@example.org'.padStart(length, 'a')
  const me = async (claims: Partial<Claims>): Promise<unknown> =>
    (await (await gateway.signIn({ ...ADA, ...claims })).get('/api/me')).json()
  const kept = { name: letters(200), picture: photo(2_000), email: email(320) }
  expect(await me(kept)).toMatchObject({ name: kept.name, photoURL: kept.picture, email: kept.email })
  expect(await me({ name: letters(201), picture: photo(2_001) })).toMatchObject({
    name: kept.name,
    photoURL: null,
  })
  const answer = await signIn(gateway.visitor(), gateway.identity, { ...EVE, email: email(321) })
  expect(answer.headers.get('location')).toBe('/?signin=email_not_verified')
})

test('a cancelled, forged, foreign or replayed callback makes no session and leaves the old one alone', async () => {
  await using gateway = await startGateway()
  const ada = await gateway.signIn()
  const before = ada.cookies.get('session')
  const login = (await ada.get('/api/auth/login')).headers.get('location') ?? ''
  const callback = gateway.identity.agree(login, EVE)
  const state = new URL(login).searchParams.get('state')
  const failed = [302, '/?signin=signin_failed']
  const seen = async (answer: Promise<Response>) => [
    (await answer).status,
    (await answer).headers.get('location'),
  ]

  expect(await seen(ada.get('/api/auth/callback'))).toEqual(failed)
  expect(await seen(ada.get('/api/auth/callback?code=x&state=forged.state'))).toEqual(failed)
  expect(await seen(gateway.visitor().get(callback))).toEqual(failed)
  expect(await seen(ada.get(callback.replace(/state=([^&]+)/, 'state=$1x')))).toEqual(failed)
  const cancelled = (await ada.get('/api/auth/login')).headers.get('location') ?? ''
  const cancelState = new URL(cancelled).searchParams.get('state')
  expect(await seen(ada.get(`/api/auth/callback?error=access_denied&state=${cancelState}`))).toEqual(failed)
  expect(ada.cookies.get('session')).toBe(before)
  expect((await ada.get('/api/me')).status).toBe(200)
  expect(state).not.toBeNull()

  const eve = gateway.visitor()
  const other = (await eve.get('/api/auth/login')).headers.get('location') ?? ''
  const good = gateway.identity.agree(other, EVE)
  const cookies = [...eve.cookies]
  expect(await seen(eve.get(good))).toEqual([302, '/'])
  for (const [name, value] of cookies) eve.cookies.set(name, value)
  expect(await seen(eve.get(good))).toEqual(failed)
  expect((await eve.get('/api/me')).status).toBe(200)
})

test('a sign-in that another browser began makes no session, also with a planted cookie of its name', async () => {
  await using gateway = await startGateway()
  const eve = gateway.visitor()
  const login = (await eve.get('/api/auth/login')).headers.get('location') ?? ''
  const back = gateway.identity.agree(login, EVE)
  const ada = gateway.visitor()
  for (const name of eve.cookies.keys()) ada.cookies.set(name, 'planted')
  expect((await ada.get(back)).headers.get('location')).toBe('/?signin=signin_failed')
  expect(ada.cookies.has('session')).toBe(false)
  expect((await eve.get(back)).headers.get('location')).toBe('/')
})

test('several attempts may run at once, and a new sign-in ends the session before it', async () => {
  await using gateway = await startGateway()
  const browser = gateway.visitor()
  const one = (await browser.get('/api/auth/login')).headers.get('location') ?? ''
  const two = (await browser.get('/api/auth/login')).headers.get('location') ?? ''
  await browser.get(gateway.identity.agree(one, ADA))
  const first = browser.cookies.get('session') ?? ''
  await browser.get(gateway.identity.agree(two, ADA))
  expect(browser.cookies.get('session')).not.toBe(first)
  expect((await browser.get('/api/me')).status).toBe(200)
  browser.cookies.set('session', first)
  expect((await browser.get('/api/me')).status).toBe(401)
})

test('signing out ends the session on the server, and is fine when signed out', async () => {
  await using gateway = await startGateway()
  const browser = await gateway.signIn()
  const id = browser.cookies.get('session') ?? ''
  expect((await browser.post('/api/auth/logout')).status).toBe(204)
  expect(browser.cookies.has('session')).toBe(false)
  browser.cookies.set('session', id)
  const answer = await browser.get('/api/me')
  expect(await answer.json()).toMatchObject({ code: 'not_signed_in', detail: 'Please sign in first.' })
  expect((await gateway.visitor().post('/api/auth/logout')).status).toBe(204)
})

test('a provider that is down leads back with a sentence, and is asked again', async () => {
  await using gateway = await startGateway()
  gateway.identity.goDown(true)
  const answer = await gateway.visitor().get('/api/auth/login')
  expect([answer.status, answer.headers.get('location')]).toEqual([302, '/?signin=signin_failed'])
  gateway.identity.goDown(false)
  expect((await (await gateway.signIn()).get('/api/me')).status).toBe(200)
})

test('the operator unlocks one session; after five wrong passwords even the right one waits, also in another session', async () => {
  await using gateway = await startGateway()
  const one = gateway.visitor()
  await signIn(one, gateway.identity, OPERATOR)
  const two = gateway.visitor()
  await signIn(two, gateway.identity, OPERATOR)
  const tryOne = async (browser = one, password = 'wrong') =>
    (await browser.post('/api/operator/unlock', { password })).status
  for (let n = 0; n < 4; n++) expect(await tryOne()).toBe(403)
  expect(await tryOne(one, PASSWORD)).toBe(204)
  expect(await (await one.get('/api/me')).json()).toMatchObject({
    role: 'user',
    operator: { eligible: true, unlocked: true },
  })
  expect(await (await two.get('/api/me')).json()).toMatchObject({
    operator: { eligible: true, unlocked: false },
  })
  expect((await one.post('/api/operator/lock')).status).toBe(204)
  expect(await (await one.post('/api/operator/lock')).json()).toMatchObject({ code: 'operator_locked' })
  for (let n = 0; n < 5; n++) expect(await tryOne()).toBe(403)
  const late = await two.post('/api/operator/unlock', { password: PASSWORD })
  expect(late.status).toBe(429)
  expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(800)
})
