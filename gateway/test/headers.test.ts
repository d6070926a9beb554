import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { creditsStub, songsStub } from './stand-ins.ts'
import { type Browser, startGateway, type TestGateway } from './start-gateway.ts'

let gateway: TestGateway
let ada: Browser
let visitor: Browser

beforeAll(async () => {
  gateway = await startGateway({ services: { songs: songsStub().routes, credits: creditsStub().routes } })
  ada = await gateway.signIn()
  visitor = gateway.visitor()
})
afterAll(() => gateway[Symbol.asyncDispose]())

describe('caches', () => {
  const answers: [string, string, number, string][] = [
    ['GET', '/api/songs', 200, 'no-store'],
    ['GET', '/api/credits', 200, 'no-store'],
    ['GET', '/api/payment-methods', 200, 'no-store'],
    ['GET', '/api/openapi.json', 200, 'no-store'],
    ['POST', '/api/songs', 400, 'no-store'],
    ['GET', '/api/payments', 503, 'no-store'],
    ['GET', '/api/nope', 404, 'no-store'],
    ['DELETE', '/api/songs', 405, 'no-store'],
    ['GET', '/', 200, 'no-cache'],
    ['GET', '/assets/app-abc.js', 200, 'public, max-age=31536000, immutable'],
  ]
  test('answers of the API are not cached, nor those to a stranger; the build is for ever', async () => {
    const seen = await Array.fromAsync(answers, async ([method, path]) => {
      const { status, headers } = await ada.send(path, { method })
      return [method, path, status, headers.get('cache-control')]
    })
    expect(seen).toEqual(answers)
    expect((await visitor.get('/api/me')).headers.get('cache-control')).toBe('no-store')
  })
})

describe('compression', () => {
  const encoded = async (path: string, encodings: string) => {
    const answer = await visitor.get(path, { 'accept-encoding': encodings })
    const { headers, status } = answer
    const text = await answer.text()
    return { status, text, encoding: headers.get('content-encoding'), vary: headers.get('vary') }
  }
  const asked: [string, string, string | null][] = [
    ['/assets/app-abc.js', 'gzip, br', 'br'],
    ['/assets/app-abc.js', 'gzip', 'gzip'],
    ['/assets/app-abc.js', 'identity', null],
    ['/', 'gzip, deflate, br', 'br'],
    ['/an/album', 'gzip', 'gzip'],
    ['/', 'gzip;q=0, br;q=0.0', null],
    ['/api/openapi.json', 'br', 'br'],
    ['/api/docs', 'gzip', 'gzip'],
    ['/api/docs', 'identity', null],
  ]
  test('pages and files have the best encoding that is accepted', async () => {
    for (const [path, encodings, encoding] of asked) {
      const whole = await encoded(path, 'identity')
      const answer = { path, encodings, ...(await encoded(path, encodings)) }
      expect(answer).toEqual({ path, encodings, ...whole, encoding, vary: 'accept-encoding' })
      expect(whole.text).not.toBe('')
    }
  })

  test('a file of the build is sent as it is there: not one is compressed for a request', async () => {
    const plain = await encoded('/assets/plain.js', 'br, gzip')
    expect([plain.status, plain.encoding]).toEqual([200, null])
    // the very bytes beside the file
    const file = join(gateway.config.webRoot, 'assets/app-abc.js.br')
    writeFileSync(file, brotliCompressSync('export { built }'))
    expect((await encoded('/assets/app-abc.js', 'br')).text).toBe('export { built }')
  })
})

test('no page may use camera, microphone, place or payment handlers', async () => {
  for (const path of ['/', '/api/me', '/api/nope'])
    expect((await visitor.get(path)).headers.get('permissions-policy')).toBe(
      'camera=(), microphone=(), geolocation=(), payment=()',
    )
})

/** Sends what fetch would not. */
const raw = ({ port }: TestGateway, text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let received = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    socket.on('data', (data) => (received += data.toString()))
    socket.on('end', () => resolve(received)).on('error', reject)
  })

const ABSOLUTE: [string, string, RegExp][] = [
  ['GET', '/api/nope', /^HTTP\/1.1 404 .*cache-control: no-store.*"not_found"/s],
  ['GET', '/api/me', /^HTTP\/1.1 401 .*cache-control: no-store.*"not_signed_in"/s],
  ['GET', '/metrics', /^HTTP\/1.1 404 .*"not_found"/s],
  ['DELETE', '/api/songs', /^HTTP\/1.1 405 .*allow: GET, HEAD, POST/s],
  ['GET', '', /^HTTP\/1.1 200 .*text\/html/s],
  ['POST', '/api/webhooks/stripe', /^HTTP\/1.1 503 .*"unavailable"/s],
]
test('a target in absolute form is judged by its path', async () => {
  for (const [method, path, expected] of ABSOLUTE) {
    const head = `${method} http://evil.test${path} HTTP/1.1\r\nhost: x\r\nsec-fetch-site: ${method === 'POST' ? 'cross-site' : 'none'}`
    expect(await raw(gateway, `${head}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`)).toMatch(expected)
  }
})

test('under https an answer to broken HTTP asks for https, and its type is not guessed', async () => {
  await using secure = await startGateway({ config: { publicUrl: 'https://songs.example' } })
  const answer = await raw(secure, 'hello\r\n\r\n')
  expect(answer).toMatch(/^HTTP\/1.1 400 /)
  expect(answer).toMatch(/strict-transport-security: max-age=31536000/)
  expect(answer).toMatch(/cache-control: no-store/)
  expect(answer).toMatch(/content-type: application\/problem\+json/)
  expect(answer).toMatch(/x-content-type-options: nosniff/)
})

test('a request without a host, with two, or that expects something unknown is answered like any other', async () => {
  for (const [head, status] of [
    ['GET /api/me HTTP/1.1', 400],
    ['GET /api/me HTTP/1.1\r\nhost: a\r\nHost: b', 400],
    ['GET /api/me HTTP/1.0', 401],
    ['GET /api/me HTTP/1.1\r\nhost: x\r\nexpect: wonders', 401],
  ] as const) {
    const answer = await raw(gateway, `${head}\r\nconnection: close\r\n\r\n`)
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(answer).toMatch(/content-type: application\/problem\+json/)
    expect(answer).toMatch(/x-request-id: [\w-]{8,64}\r\n/)
    expect(answer).toMatch(/x-content-type-options: nosniff/)
    expect(answer).toMatch(/cache-control: no-store/)
  }
})

test('security.txt names where to report a vulnerability', async () => {
  const text = async (of: TestGateway): Promise<string> => {
    const answer = await of.visitor().get('/.well-known/security.txt')
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    return answer.text()
  }
  const usual = await text(gateway)
  expect(usual).toMatch(/^Contact: mailto:help@example\.org$/m)
  expect(usual).toMatch(/^Canonical: http:\/\/localhost:8080\/\.well-known\/security\.txt$/m)
  const [, expires = ''] = /^Expires: (.+)$/m.exec(usual) ?? []
  expect(Date.parse(expires)).toBeGreaterThan(Date.now())
  await using other = await startGateway({ config: { securityContact: 'https://songs.example/report' } })
  expect(await text(other)).toMatch(/^Contact: https:\/\/songs\.example\/report$/m)
})

test('scripts of a build that was replaced are still answered, compressed, and what never was is a page of the app', async () => {
  await using gateway = await startGateway()
  const visitor = gateway.visitor()
  const typeOf = async (path: string): Promise<string | null> =>
    (await visitor.get(path)).headers.get('content-type')
  await gateway.runJob('keep-assets')
  const file = join(gateway.config.webRoot, 'assets/plain.js')
  const script = readFileSync(file, 'utf8')
  rmSync(file)
  const kept = await visitor.get('/assets/plain.js', { 'accept-encoding': 'br' })
  expect(kept.status).toBe(200)
  expect(kept.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  expect(kept.headers.get('cache-control')).toContain('immutable')
  expect(kept.headers.get('content-encoding')).toBe('br')
  expect(await kept.text()).toBe(script)
  expect(await typeOf('/assets/never.js')).toContain('text/html')
})
