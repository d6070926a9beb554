import { createHash, createPublicKey, type JsonWebKey, randomBytes, verify } from 'node:crypto'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Identity, startIdentity } from '../../stand-ins/identity/index.ts'

const CALLBACK = 'http://localhost:9/api/auth/callback'
const CLIENT = { id: 'prelude', secret: 'a secret, with signs: +/%', redirectUris: [CALLBACK] }

let dataDir: string
let identity: Identity

const start = (): Promise<Identity> => startIdentity({ host: '127.0.0.1', port: 0, dataDir, client: CLIENT })

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'prelude-identity-'))
  identity = await start()
})

afterAll(async () => {
  await identity.stop()
  await rm(dataDir, { recursive: true, force: true })
})

/** A browser without scripts: keeps cookies and follows redirects until the client's callback. */
class Browser {
  readonly #jar = new Map<string, string>()

  async visit(url: string, init: { method?: string; body?: URLSearchParams } = {}): Promise<Response> {
    const cookie = [...this.#jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, { ...init, redirect: 'manual', headers: { cookie } })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      this.#jar.set(name, value)
    }
    const location = response.headers.get('location')
    if (location === null || location.startsWith(CALLBACK)) return response
    return this.visit(new URL(location, url).href)
  }

  /** Opens the sign-in page. */
  async open(): Promise<{ page: Response; html: string; verifier: string }> {
    const verifier = randomBytes(32).toString('base64url')
    const query = new URLSearchParams({
      client_id: CLIENT.id,
      redirect_uri: CALLBACK,
      response_type: 'code',
      scope: 'openid email profile',
      state: 'the-state',
      nonce: 'the-nonce',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    })
    const page = await this.visit(`${identity.url}/auth?${query}`)
    return { page, html: await page.text(), verifier }
  }

  /** Submits the form; answers the redirect to the client. */
  async signIn(fields: Record<string, string>): Promise<{ answer: URL; verifier: string }> {
    const { page, verifier } = await this.open()
    const response = await this.visit(page.url, { method: 'POST', body: new URLSearchParams(fields) })
    return { answer: new URL(response.headers.get('location') ?? ''), verifier }
  }
}

async function exchange(at: { answer: URL; verifier: string }) {
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code: at.answer.searchParams.get('code') ?? '',
    redirect_uri: CALLBACK,
    code_verifier: at.verifier,
  })
  const encoded = [CLIENT.id, CLIENT.secret].map(encodeURIComponent).join(':')
  const authorization = `Basic ${Buffer.from(encoded).toString('base64')}`
  const response = await fetch(`${identity.url}/token`, {
    method: 'POST',
    body,
    headers: { authorization },
  })
  return (await response.json()) as Record<string, string>
}

/** The claims of an id token with a verified signature. */
async function claimsIn(idToken = ''): Promise<Record<string, unknown>> {
  const { keys } = (await (await fetch(`${identity.url}/jwks`)).json()) as { keys: JsonWebKey[] }
  const [header = '', payload = '', signature = ''] = idToken.split('.')
  const key = createPublicKey({ key: keys[0] ?? {}, format: 'jwk' })
  const holds = verify(
    'RSA-SHA256',
    Buffer.from(`${header}.${payload}`),
    key,
    Buffer.from(signature, 'base64url'),
  )
  expect(holds).toBe(true)
  return JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>
}

const claimsFor = async (fields: Record<string, string>) =>
  claimsIn((await exchange(await new Browser().signIn(fields)))['id_token'])

test('the sign-in page is one plain form with email, names, picture and the button Continue', async () => {
  const { page, html } = await new Browser().open()
  expect(page.status).toBe(200)
  expect(html.match(/<form/g)).toHaveLength(1)
  expect(html.match(/<button type="submit">Continue<\/button>/g)).toHaveLength(1)
  for (const name of ['email', 'name', 'given_name', 'picture', 'unverified'])
    expect(html).toContain(`name="${name}"`)
  expect(html).not.toContain('<script')
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
})

test('any address can sign in; the fields of the form are claims of the id token and of userinfo', async () => {
  const signedIn = await new Browser().signIn({
    email: 'ada@example.org',
    name: 'Ada',
    given_name: 'Augusta',
    picture: 'https://x.test/a.png',
  })
  expect(signedIn.answer.searchParams.get('state')).toBe('the-state')
  expect(signedIn.answer.searchParams.get('iss')).toBe(identity.issuer)
  const tokens = await exchange(signedIn)
  const claims = {
    email: 'ada@example.org',
    email_verified: true,
    name: 'Ada',
    given_name: 'Augusta',
    picture: 'https://x.test/a.png',
  }
  expect(await claimsIn(tokens['id_token'])).toMatchObject({
    ...claims,
    iss: identity.issuer,
    aud: CLIENT.id,
    nonce: 'the-nonce',
  })
  const userinfo = await fetch(`${identity.url}/me`, {
    headers: { authorization: `Bearer ${tokens['access_token']}` },
  })
  expect(await userinfo.json()).toMatchObject(claims)
})

test('without a name there is no name claim, and an unverified address has email_verified false', async () => {
  const claims = await claimsFor({ email: 'ada@example.org', name: '  ', unverified: 'on' })
  for (const name of ['name', 'given_name']) expect(claims).not.toHaveProperty(name)
  expect(claims['email_verified']).toBe(false)
})

test('an address is the same subject in upper or lower case, on another port and after a restart', async () => {
  const before = await claimsFor({ email: 'Ada@Example.org' })
  const keysBefore = await (await fetch(`${identity.url}/jwks`)).text()
  await identity.stop()
  identity = await start()
  expect((await claimsFor({ email: 'ada@example.org' }))['sub']).toBe(before['sub'])
  expect((await claimsFor({ email: 'bob@example.org' }))['sub']).not.toBe(before['sub'])
  expect(await (await fetch(`${identity.url}/jwks`)).text()).toBe(keysBefore)
  expect((await stat(join(dataDir, 'keys.json'))).mode & 0o077).toBe(0)
})

test('a form without an address is shown again with a sentence and its fields', async () => {
  const browser = new Browser()
  const { page } = await browser.open()
  const body = new URLSearchParams({ email: 'nobody', name: '"><b>' })
  const again = await browser.visit(page.url, { method: 'POST', body })
  expect(again.status).toBe(400)
  const html = await again.text()
  expect(html).toContain('role="alert"')
  expect(html).toContain('value="&#34;&#62;&#60;b&#62;"')
})
