import { beforeAll, expect, test, vi } from 'vitest'
import { browser, cancelLink, formAction, toCallback, toForm } from './browser.ts'
import { caller, type Caller, expectRefusal, POLL, productOfFile, somebody } from '../../support/callers.ts'
import { signIn } from '../../support/person.ts'

const product = productOfFile({ STARTING_CREDITS: '12.5' })
let visitor: Caller

beforeAll(() => {
  visitor = caller(product())
})

interface Me {
  uid: string
  credits: number | null
}

test('sign-in shows a plain form and redirects to returnTo, with a cookie for this host only', async () => {
  const { web } = product().endpoints
  const { go, cookies } = browser()
  const form = await toForm(go, `${web}/api/auth/login?returnTo=${encodeURIComponent('/album?x=1&y=2#end')}`)
  expect(form.text.match(/<form/g)).toHaveLength(1)
  expect(form.text).toMatch(/name="email"/)
  expect(form.text).toMatch(/name="name"/)
  expect(form.text).toMatch(/Continue/)
  expect(form.text).not.toMatch(/<script/)
  const back = await toCallback(
    go,
    await go(formAction(form), { email: 'Ada@Example.test', name: 'Ada Obi' }),
  )
  expect([back.status, back.location]).toEqual([302, `${web}/album?x=1&y=2#end`])
  const cookie = back.headers['set-cookie']?.find((line) => line.startsWith('session='))
  expect(cookie).toMatch(/; Path=\//)
  expect(cookie).toMatch(/; HttpOnly/)
  expect(cookie).toMatch(/; SameSite=Lax/)
  expect(cookie).not.toMatch(/Secure|Domain/i)
  expect(JSON.stringify(back.headers) + back.text).not.toMatch(/eyJ|access_token|id_token/)
  const me = await caller(product(), `session=${cookies(new URL(web).host).get('session')}`)('GET', '/api/me')
  expect(me.body).toEqual({
    uid: expect.any(String) as string,
    name: 'Ada Obi',
    firstName: 'Ada',
    email: 'ada@example.test',
    photoURL: null,
    role: 'user',
    credits: 12.5,
    operator: { eligible: false, unlocked: false },
  })
})

test.for([
  'https://evil.example/',
  '//evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/%09/evil.example/..//x',
  '/\t/evil.example',
  'javascript:alert(1)',
  'album',
  '/api/auth/logout',
  '/api',
  '/a/../api/me',
  '/%61pi/me',
  '',
])('returnTo %j does not lead away', async (returnTo) => {
  const { web } = product().endpoints
  const { go } = browser()
  const form = await toForm(go, `${web}/api/auth/login?returnTo=${encodeURIComponent(returnTo)}`)
  const back = await toCallback(go, await go(formAction(form), { email: 'eve@example.test', name: 'Eve' }))
  expect(back.status).toBe(302)
  const target = new URL(back.location ?? '')
  expect(target.origin).toBe(web)
  expect(decodeURIComponent(target.pathname)).not.toMatch(/^\/*api(\/|$)|^\/[/\\]/)
  if (!returnTo.startsWith('/%09')) expect(target.href).toBe(`${web}/`)
})

test('a popup gets a page that broadcasts to other tabs and closes itself, after success and failure', async () => {
  const { web } = product().endpoints
  const { go } = browser()
  const form = await toForm(go, `${web}/api/auth/login?mode=popup`)
  const back = await toCallback(go, await go(formAction(form), { email: 'ada@example.test', name: 'Ada' }))
  expect(back.status).toBe(200)
  expect(back.headers['set-cookie']?.join()).toMatch(/session=/)
  expect(back.headers['cross-origin-opener-policy'] ?? 'unsafe-none').toBe('unsafe-none')
  expect(back.text).toMatch(/BroadcastChannel/)
  expect(back.text).toMatch(/window\.close/)
  const refused = await toForm(go, `${web}/api/auth/login?mode=popup`)
  const page = await toCallback(go, await go(cancelLink(refused)))
  expect(page.status).toBe(200)
  expect(page.text).toContain('Signing in did not work. Please try again.')
  expect(page.headers['set-cookie']?.join() ?? '').not.toMatch(/(^|,)session=/)
  expectRefusal(await visitor('GET', '/api/auth/login?mode=window'), 400, 'invalid_request')
})

test('cancelled, forged, unverified and replayed callbacks create no session and keep an existing one', async () => {
  const { web } = product().endpoints
  const { go, cookies } = browser()
  const host = new URL(web).host
  const session = (): string | undefined => cookies(host).get('session')
  const signedIn = await toForm(go, `${web}/api/auth/login`)
  await toCallback(go, await go(formAction(signedIn), { email: 'ada@example.test', name: 'Ada' }))
  const before = session()

  const cancelled = await toForm(go, `${web}/api/auth/login`)
  const answer = await toCallback(go, await go(cancelLink(cancelled)))
  expect([answer.status, answer.location]).toEqual([302, `${web}/?signin=signin_failed`])

  const unverified = await toForm(go, `${web}/api/auth/login`)
  const refused = await toCallback(
    go,
    await go(formAction(unverified), { email: 'nobody@example.test', name: 'No', unverified: 'on' }),
  )
  expect(refused.location).toBe(`${web}/?signin=email_not_verified`)

  for (const query of [
    '',
    '?code=x',
    '?code=x&state=y',
    '?error=access_denied&state=z',
    '?state=a.b&code=%00',
    '?code=a&code=b',
  ])
    expect([query, (await go(`${web}/api/auth/callback${query}`)).location]).toEqual([
      query,
      `${web}/?signin=signin_failed`,
    ])

  // the URL of a successful callback, and a sign-in that another browser began
  const fresh = await toForm(go, `${web}/api/auth/login`)
  let at = await go(formAction(fresh), { email: 'ada@example.test', name: 'Ada' })
  while (!at.location?.includes('/api/auth/callback')) at = await go(at.location ?? '')
  const stolen = at.location
  expect((await browser().go(stolen)).location).toBe(`${web}/?signin=signin_failed`)
  expect(session()).toBe(before)
  expect((await go(stolen)).location).toBe(`${web}/`)
  const after = session()
  expect(after).not.toBe(before)
  expect((await go(stolen)).location).toBe(`${web}/?signin=signin_failed`)
  expect(session()).toBe(after)
  // the new sign-in ended the old session
  expectRefusal(await caller(product(), `session=${before}`)('GET', '/api/me'), 401, 'not_signed_in')
  expect((await caller(product(), `session=${after}`)('GET', '/api/me')).status).toBe(200)

  const operator = await somebody(product(), { email: 'operator@prelude.test', name: 'Olu' })
  const { password } = product().endpoints.operator
  await operator.call('POST', '/api/operator/unlock', { json: { password } })
  const people = await operator.call<{ items: unknown[] }>('GET', '/api/operator/people?q=nobody')
  expect(people.body.items).toEqual([])
})

test('a sign-out ends the session on the server, and succeeds without a session too', async () => {
  const ada = await somebody(product())
  const other = await somebody(product(), { email: ada.email })
  expect(other.uid).toBe(ada.uid)
  expect((await ada.call('POST', '/api/auth/logout')).status).toBe(204)
  expectRefusal(await ada.call('GET', '/api/me'), 401, 'not_signed_in')
  expect((await ada.call('POST', '/api/auth/logout')).status).toBe(204)
  expect((await visitor('POST', '/api/auth/logout')).status).toBe(204)
  expect((await other.call('GET', '/api/me')).status).toBe(200)
})

test('the same address in another case is the same account; a later sign-in refreshes it for all sessions', async () => {
  const first = await somebody(product(), { email: 'grace@example.test', name: 'Grace Old' })
  const second = await somebody(product(), { email: 'GRACE@example.TEST', name: '' })
  expect(second.uid).toBe(first.uid)
  const me = await first.call<Me>('GET', '/api/me')
  expect(me.body).toMatchObject({ name: null, firstName: null, email: 'grace@example.test', role: 'user' })
  const { body } = await first.call('POST', '/api/songs', { json: { lyrics: 'la', style: 'x' } })
  expect(body).toMatchObject({ username: 'Anonymous', email: 'grace@example.test' })
})

test('names are kept unchanged', async () => {
  for (const name of [
    '<script>alert(1)</script>',
    "Robert'); drop table user_record;--",
    '👩‍🎤 Ọlá',
    'a'.repeat(5000),
  ]) {
    const person = await somebody(product(), { name })
    expect((await person.call<{ name: string }>('GET', '/api/me')).body.name).toBe(name)
  }
})

test('sessions and starting credits survive a restart', async () => {
  const ada = await somebody(product())
  expect(await product().stop()).toBe(0)
  await product().start()
  await vi.waitFor(async () => {
    const me = await ada.call<Me>('GET', '/api/me')
    expect([me.status, me.body.uid, me.body.credits]).toEqual([200, ada.uid, 12.5])
  }, POLL)
  expect((await signIn(product(), { email: ada.email })).uid).toBe(ada.uid)
})
