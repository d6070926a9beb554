import { beforeAll, expect, test, vi } from 'vitest'
import {
  caller,
  type Caller,
  expectRefusal,
  POLL,
  productOfFile,
  sendBytes,
  somebody,
  type Somebody,
} from '../../support/callers.ts'

const product = productOfFile({ LOG_LEVEL: 'info' })
let ada: Somebody
let visitor: Caller

beforeAll(async () => {
  ada = await somebody(product())
  visitor = caller(product())
})

const song = { lyrics: 'la', style: 'folk' }

test('paths outside /api serve the web app, unknown ones under /api are 404, a trailing slash is another path', async () => {
  for (const path of [
    '/',
    '/payment-success?session_id=1',
    '/nowhere/at/all',
    '/apiary',
    '/%zz',
    '/a/../b',
  ]) {
    const page = await visitor<string>('GET', path)
    expect([path, page.status]).toEqual([path, 200])
    expect(page.headers['content-type']).toMatch(/^text\/html/)
    expect(page.headers['x-request-id']).toMatch(/./)
  }
  for (const path of [
    '/api',
    '/api/',
    '/api/nothing',
    '/api/me/',
    '/api/songs/',
    '/api/payments/',
    '/api/songs//',
    '/api/%zz',
    '/api//me',
  ])
    expectRefusal(await ada.call('GET', path), 404, 'not_found')
  expectRefusal(await ada.call('DELETE', '/api/sessions/'), 404, 'not_found')
  for (const path of ['/metrics', '/readyz', '/metrics?x=1'])
    expectRefusal(await visitor('GET', path), 404, 'not_found')
  expect((await visitor('GET', '/healthz')).status).toBe(200)
})

test('a known path with another method is 405 with the allowed ones, also for unknown methods', async () => {
  const allowed: [string, string, string][] = [
    ['DELETE', '/api/me', 'GET, HEAD'],
    ['POST', '/api/credits/entries', 'GET, HEAD'],
    ['OPTIONS', '/api/songs', 'GET, HEAD, POST'],
    ['DELETE', '/api/songs/1', 'GET, HEAD, PATCH'],
    ['GET', '/api/auth/logout', 'POST'],
    ['HEAD', '/api/live', 'GET'],
    ['PROPFIND', '/api/songs', 'GET, HEAD, POST'],
    ['TRACE', '/api/me', 'GET, HEAD'],
    ['QUERY', '/api/me', 'GET, HEAD'],
    ['PUT', '/api/operator/songs/1/versions/1/x', ''],
  ]
  for (const [method, path, allow] of allowed) {
    const reply = await ada.call(method, path)
    expect([method, path, reply.status, reply.headers.allow ?? '']).toEqual([
      method,
      path,
      allow === '' ? 404 : 405,
      allow,
    ])
    if (method !== 'HEAD')
      expectRefusal(reply, reply.status, allow === '' ? 'not_found' : 'method_not_allowed')
  }
  const odd = await sendBytes(
    product(),
    'FETCH /api/songs?x=1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
  )
  expect(odd).toMatch(/^HTTP\/1\.1 405 /)
  expect(odd).toMatch(/^allow: GET, HEAD, POST\r$/im)
  expect(odd).toContain('"code":"method_not_allowed"')
  const nowhere = await sendBytes(product(), 'FETCH /api/nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n')
  expect(nowhere).toContain('"code":"not_found"')
})

test('a URL or headers of more than 16 KiB are refused', async () => {
  const long = (bytes: number): string => `/api/geo?x=${'a'.repeat(bytes - '/api/geo?x='.length)}`
  expect((await visitor('GET', long(16 * 1024))).status).toBe(200)
  expectRefusal(await visitor('GET', long(16 * 1024 + 1)), 414, 'uri_too_long')
  expectRefusal(await visitor('GET', long(40 * 1024)), 414, 'uri_too_long')
  expectRefusal(await visitor('GET', long(200 * 1024)), 414, 'uri_too_long')
  expect((await visitor('GET', '/api/geo', { headers: { 'x-long': 'a'.repeat(15 * 1024) } })).status).toBe(
    200,
  )
  for (const kib of [17, 60])
    expectRefusal(
      await visitor('GET', '/api/geo', { headers: { 'x-long': 'a'.repeat(kib * 1024) } }),
      431,
      'headers_too_large',
    )
})

test('every operation but the public ones needs a session, which is checked first', async () => {
  for (const path of ['/api/geo', '/api/payment-methods', '/api/openapi.json', '/api/docs'])
    expect((await visitor('GET', path)).status).toBe(200)
  const closed: [string, string][] = [
    ['GET', '/api/me'],
    ['POST', '/api/songs'],
    ['GET', '/api/songs'],
    ['GET', '/api/songs/x'],
    ['HEAD', '/api/songs/x/versions/1'],
    ['GET', '/api/songs/x/versions/9/waveform'],
    ['GET', '/api/songs/x/download'],
    ['GET', '/api/credits'],
    ['GET', '/api/credits/entries?limit=0'],
    ['POST', '/api/payments'],
    ['POST', '/api/payments/alternate'],
    ['POST', '/api/payments/naira-transfers'],
    ['GET', '/api/get-session'],
    ['GET', '/api/payments/x'],
    ['GET', '/api/live'],
    ['POST', '/api/operator/unlock'],
    ['POST', '/api/operator/songs/-/fulfil'],
    ['POST', '/api/operator/uploads'],
    ['OPTIONS', '/api/operator/uploads'],
    ['GET', '/api/operator/audit'],
  ]
  for (const [method, path] of closed) {
    const reply = await visitor(method, path, {
      headers: { cookie: 'session=forged; __Host-session=forged' },
      ...(method === 'POST' && { raw: '{broken' }),
    })
    if (method === 'HEAD') expect(reply.status).toBe(401)
    else expectRefusal(reply, 401, 'not_signed_in', 'Please sign in first.')
  }
})

test('a state change from another site is refused first, one from this site or from curl is not', async () => {
  const { web } = product().endpoints
  const refused: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: `${web}.evil.example` },
    { origin: web.replace('http:', 'https:') },
    { origin: 'http://127.0.0.1:1' },
    { 'sec-fetch-site': 'cross-site', origin: web },
    { 'sec-fetch-site': 'same-origin', origin: 'https://evil.example' },
  ]
  for (const headers of refused) {
    expectRefusal(await ada.call('POST', '/api/songs', { json: song, headers }), 403, 'cross_site_request')
    expectRefusal(await visitor('POST', '/api/auth/logout', { headers }), 403, 'cross_site_request')
    expect((await ada.call('GET', '/api/me', { headers })).status).toBe(200)
  }
  const taken: Record<string, string>[] = [
    {},
    { origin: web },
    { 'sec-fetch-site': 'none' },
    { 'sec-fetch-site': 'same-origin', origin: web },
  ]
  for (const headers of taken)
    expect((await ada.call('POST', '/api/songs', { json: song, headers })).status).toBe(201)
  const webhook = await visitor('POST', '/api/webhooks/stripe', {
    raw: '{}',
    headers: { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
  })
  expectRefusal(webhook, 400, 'bad_signature')
})

test('every answer has the id of its request: the client’s where it is valid, else a generated one', async () => {
  for (const id of ['a'.repeat(8), 'Z_-9'.repeat(16), 'req-12345678'])
    for (const path of ['/api/me', '/api/nothing', '/', '/favicon.svg', '/api/openapi.json'])
      expect((await ada.call('GET', path, { headers: { 'x-request-id': id } })).headers['x-request-id']).toBe(
        id,
      )
  for (const id of ['short', 'a'.repeat(65), 'with space', 'semi;colon', 'é'.repeat(9)]) {
    const reply = await visitor('GET', '/api/me', {
      headers: { 'x-request-id': Buffer.from(id).toString('latin1') },
    })
    expect(reply.headers['x-request-id']).toMatch(/^[A-Za-z0-9_-]{8,64}$/)
    expect(reply.headers['x-request-id']).not.toBe(id)
    expect(reply.body.requestId).toBe(reply.headers['x-request-id'])
  }
})

test('bodies are JSON objects of at most 1 MiB in UTF-8, and other bodies each have their own error', async () => {
  const type = (name: string): { headers: Record<string, string> } => ({ headers: { 'content-type': name } })
  const json = type('application/json')
  const valid = JSON.stringify(song)
  const bodies: [Parameters<Caller>[2], number, string?][] = [
    [{ raw: valid, ...json }, 201],
    [{ raw: `\uFEFF${valid}`, ...json }, 201],
    [{ raw: valid, ...type('application/json; charset=utf-8') }, 201],
    [{ raw: '{"lyrics":"","style":"x","lyrics":"la"}', ...json }, 201],
    [{ raw: `{"x":${'['.repeat(100_000)}${']'.repeat(100_000)},${valid.slice(1)}`, ...json }, 201],
    [{ raw: `{"__proto__":{"style":"x"},"lyrics":"la"}`, ...json }, 400, 'lyrics_and_style_required'],
    [{ raw: valid + ' '.repeat(1024 * 1024 - valid.length), ...json }, 201],
    [{ raw: valid + ' '.repeat(1024 * 1024 + 1 - valid.length), ...json }, 413, 'body_too_large'],
    [{}, 400, 'malformed_json'],
    [{ raw: '', ...json }, 400, 'malformed_json'],
    [{ raw: '{"lyrics":NaN,"style":"x"}', ...json }, 400, 'malformed_json'],
    [{ raw: '{broken', ...json }, 400, 'malformed_json'],
    [{ raw: `${valid}x`, ...json }, 400, 'malformed_json'],
    [{ raw: Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x7d]), ...json }, 400, 'malformed_json'],
    [{ raw: '[]', ...json }, 400, 'invalid_request'],
    [{ raw: 'null', ...json }, 400, 'invalid_request'],
    [{ raw: '"text"', ...json }, 400, 'invalid_request'],
    [{ json: { lyrics: 1, style: 'x' } }, 400, 'invalid_request'],
    [{ json: { lyrics: null, style: 'x' } }, 400, 'invalid_request'],
    [{ json: { lyrics: ['a'], style: 'x' } }, 400, 'invalid_request'],
    [{ raw: '{"lyrics":"a\\u0000","style":"x"}', ...json }, 400, 'invalid_text'],
    [{ raw: '{"lyrics":"a","style":"\\ud800"}', ...json }, 400, 'invalid_text'],
    [{ raw: valid, ...type('text/plain') }, 415, 'unsupported_media_type'],
    [
      { raw: 'lyrics=a&style=b', ...type('application/x-www-form-urlencoded') },
      415,
      'unsupported_media_type',
    ],
    [{ raw: valid, ...type('application/jsonp') }, 415, 'unsupported_media_type'],
    [{ raw: valid }, 415, 'unsupported_media_type'],
  ]
  for (const [sending, status, code] of bodies) {
    const reply = await ada.call('POST', '/api/songs', sending)
    expect([status, code]).toEqual([reply.status, reply.body.code])
    if (code === 'invalid_request' && sending?.json !== undefined) expect(reply.body).toHaveProperty('errors')
  }
})

test('fields that a client may not set are ignored, and a malformed id is as unknown as any other', async () => {
  const json = {
    ...song,
    id: '00000000-0000-7000-8000-000000000000',
    uid: 'somebody',
    username: 'Eve',
    email: 'eve@example.test',
    status: 'ready',
    charged: true,
    charge: 'gift',
    createdAt: 1,
    storagePath1: 'x',
    constructor: { prototype: { charged: true } },
  }
  const { body } = await ada.call<Record<string, unknown>>('POST', '/api/songs', { json })
  expect(body).toMatchObject({
    ...song,
    uid: ada.uid,
    email: ada.email,
    username: 'Ada Obi',
    status: 'pending',
  })
  expect(body['id']).not.toBe(json.id)
  expect(body).toMatchObject({ charged: false, updatedAt: null, downloadUrl1: null, downloadUrl2: null })
  expect(body).not.toHaveProperty('storagePath1')
  expect(body['createdAt']).toBeGreaterThan(Date.now() - 60_000)
  for (const id of ['1', '-', '%00', '..', 'a'.repeat(2000), json.id])
    expectRefusal(await ada.call('GET', `/api/songs/${id}`), 404, 'song_not_found')
  for (const id of ['1', '%27%20or%201=1', json.id])
    expectRefusal(await ada.call('GET', `/api/payments/${id}`), 404, 'payment_not_found')
})

test('a query parameter may occur once, with text that can be stored', async () => {
  for (const path of [
    '/api/songs?limit=1&limit=1',
    '/api/songs?q=a&q=b',
    '/api/songs?status=ready&status=ready',
  ])
    expectRefusal(await ada.call('GET', path), 400, 'invalid_request')
  expectRefusal(await ada.call('GET', '/api/songs?q=a%00'), 400, 'invalid_text')
  for (const path of [
    '/api/songs?q=%ff%fe',
    '/api/songs?q=%ed%a0%80',
    '/api/songs?q=%',
    '/api/songs?__proto__=x',
  ])
    expect((await ada.call('GET', path)).status).toBeLessThan(500)
})

test('lists accept a limit of 1 to 100 and their own cursors, and pages neither repeat nor skip items', async () => {
  const reader = await somebody(product())
  const add = async (lyrics: string): Promise<void> => {
    await reader.call('POST', '/api/songs', { json: { lyrics, style: 'x' } })
  }
  for (let n = 1; n <= 5; n++) await add(String(n))
  interface List {
    items: { lyrics: string }[]
    nextCursor: string | null
  }
  const first = await reader.call<List>('GET', '/api/songs?limit=2')
  await add('6')
  const second = await reader.call<List>('GET', `/api/songs?limit=2&cursor=${first.body.nextCursor}`)
  const third = await reader.call<List>('GET', `/api/songs?limit=2&cursor=${second.body.nextCursor}`)
  const seen = [first, second, third].map((page) => page.body.items.map(({ lyrics }) => lyrics))
  expect(seen).toEqual([['5', '4'], ['3', '2'], ['1']])
  expect(third.body.nextCursor).toBeNull()
  const nul = Buffer.from(JSON.stringify(['\0', 1, crypto.randomUUID()])).toString('base64url')
  expectRefusal(await reader.call('GET', `/api/songs?sort=title&cursor=${nul}`), 400, 'invalid_cursor')
  const lists = ['/api/songs', '/api/credits/entries', '/api/payments']
  for (const list of lists) {
    for (const limit of ['0', '101', '-1', '1.5', '1e1', 'ten', '', '%2010', '+5', '05'])
      expectRefusal(await reader.call('GET', `${list}?limit=${limit}`), 400, 'invalid_request')
    for (const limit of ['1', '100'])
      expect((await reader.call('GET', `${list}?limit=${limit}`)).status).toBe(200)
    for (const cursor of ['x', '', 'null', 'W10', 'a'.repeat(600), '%00', 'WyJhIiwiYiJd', 'WzEsIngiXQ'])
      expectRefusal(
        await reader.call('GET', `${list}?cursor=${cursor}`),
        400,
        cursor === '%00' ? 'invalid_text' : 'invalid_cursor',
      )
  }
})

test('a request under an Idempotency-Key has one effect, and the key is bound to its person, path and body', async () => {
  const eve = await somebody(product())
  const keyed = (key: string, json: unknown = song) => ({ json, headers: { 'idempotency-key': key } })
  const first = await ada.call<{ id: string }>('POST', '/api/songs', keyed('k1'))
  const again = await ada.call<{ id: string }>('POST', '/api/songs', keyed('k1'))
  expect([again.status, again.body]).toEqual([201, first.body])
  expect(again.headers['idempotency-replayed']).toBe('true')
  expect(first.headers).not.toHaveProperty('idempotency-replayed')
  expectRefusal(
    await ada.call('POST', '/api/songs', keyed('k1', { ...song, lyrics: 'other' })),
    422,
    'idempotency_key_reused',
  )
  const others = await eve.call<{ id: string }>('POST', '/api/songs', keyed('k1'))
  expect(others.body.id).not.toBe(first.body.id)
  expect((await ada.call('POST', '/api/payments', keyed('k1', { amount: 25 }))).status).toBe(200)

  const many = await Promise.all(
    Array.from({ length: 8 }, () => ada.call<{ id?: string }>('POST', '/api/songs', keyed('k2'))),
  )
  expect(new Set(many.flatMap(({ body }) => body.id ?? [])).size).toBe(1)
  for (const reply of many) if (reply.status !== 201) expectRefusal(reply, 409, 'request_in_progress')

  expectRefusal(
    await ada.call('POST', '/api/songs', keyed('k3', { ...song, lyrics: '' })),
    400,
    'lyrics_and_style_required',
  )
  expect((await ada.call('POST', '/api/songs', keyed('k3'))).status).toBe(201)
  for (const key of ['', 'with space', 'a'.repeat(256), '\u00e9', 'tab\tkey'])
    expectRefusal(await ada.call('POST', '/api/songs', keyed(key)), 400, 'invalid_idempotency_key')
  expect((await ada.call('POST', '/api/songs', keyed('~'.repeat(255)))).status).toBe(201)
  for (const path of ['/api/operator/unlock', '/api/webhooks/stripe'])
    expect((await ada.call('POST', path, keyed(''))).body.code).not.toBe('invalid_idempotency_key')
})

test('the log has one line a request, with the route’s pattern, without query, body or personal data', async () => {
  const headers = { 'x-request-id': 'find-this-line' }
  await ada.call('POST', '/api/songs?code=s3cret', { json: { lyrics: 'hush hush', style: 'x' }, headers })
  const lines = await vi.waitFor(() => {
    const found = product()
      .output()
      .split('\n')
      .filter((line) => line.includes('find-this-line') && line.includes('"request"'))
    expect(found).toHaveLength(1)
    return found
  }, POLL)
  const line = JSON.parse(lines[0] ?? '') as Record<string, unknown>
  expect(line).toMatchObject({
    method: 'POST',
    route: '/api/songs',
    status: 201,
    requestId: 'find-this-line',
  })
  expect(line['ms']).toBeLessThan(5000)
  // and neither does any other line that this file caused
  expect(product().output()).not.toMatch(/Reply was already sent|FSTDEP|s3cret|hush hush|[?&](code|state)=/)
  expect(product().output()).not.toContain(ada.email)
  expect(product().output()).not.toContain(ada.cookie)
})
