import { expect, test } from 'vitest'
import { caller, expectRefusal, productOfFile } from '../../support/callers.ts'
import { OWN_SETTINGS } from '../../support/own-settings.ts'
import { browser, follow, formAction, type Page } from '../../support/plain-browser.ts'

/** Behind a proxy that terminates TLS: `PUBLIC_URL` is https. */

const PUBLIC = 'https://songs.example'
const product = productOfFile({ PUBLIC_URL: PUBLIC, RATE_LIMITS: 'on', ...OWN_SETTINGS })

const person = () => browser((address) => address.replace(PUBLIC, `http://127.0.0.1:${product().port}`))

async function signIn({ go }: ReturnType<typeof person>): Promise<Page> {
  const form = await follow(go, await go(`${PUBLIC}/api/auth/login?returnTo=/album`))
  const answer = await go(formAction(form), { email: 'ada@example.test', name: 'Ada' })
  return follow(go, answer, ({ url }) => url.includes('/api/auth/callback'))
}

const cookiesOf = ({ headers }: Page): string[] => headers['set-cookie'] ?? []

test('every cookie is Secure, and the session cookie has the prefix __Host-', async () => {
  const ada = person()
  const begun = cookiesOf(await ada.go(`${PUBLIC}/api/auth/login`))
  expect(begun).toHaveLength(1)
  expect(begun[0]).toMatch(/^__Host-.*; Path=\/; HttpOnly; Secure; SameSite=Lax/)
  const back = await signIn(ada)
  expect([back.status, back.location]).toEqual([302, `${PUBLIC}/album`])
  const session = cookiesOf(back).find((line) => line.startsWith('__Host-session='))
  expect(session).toMatch(/; Path=\/; HttpOnly; Secure; SameSite=Lax/)
  expect(session).not.toMatch(/Domain/i)
  expect(cookiesOf(back).every((line) => /; Secure/.test(line))).toBe(true)
})

test('only the session cookie with the prefix is accepted, and only state changes from this origin', async () => {
  const ada = person()
  await signIn(ada)
  const id = ada.cookies('songs.example').get('__Host-session') ?? ''
  const reached = { endpoints: { ...product().endpoints, web: `http://127.0.0.1:${product().port}` } }
  const call = caller(reached, `__Host-session=${id}`)
  expect((await call('GET', '/api/me')).status).toBe(200)
  expectRefusal(await caller(reached, `session=${id}`)('GET', '/api/me'), 401, 'not_signed_in')
  const sing = (origin: string) =>
    call('POST', '/api/songs', { json: { lyrics: 'la', style: 'folk' }, headers: { origin } })
  expectRefusal(await sing('http://songs.example'), 403, 'cross_site_request')
  expectRefusal(await sing(reached.endpoints.web), 403, 'cross_site_request')
  expect((await sing(PUBLIC)).status).toBe(201)
  const out = await call('POST', '/api/auth/logout', { headers: { origin: PUBLIC } })
  expect([out.status, out.headers['set-cookie']?.join()]).toEqual([
    204,
    expect.stringMatching(/^__Host-session=;.*Secure/),
  ])
})
