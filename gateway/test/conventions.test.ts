import { readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { MAX_CURSOR } from '@prelude/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { creditsStub, songsStub } from './stand-ins.ts'
import {
  ADA,
  type Browser,
  EVE,
  OPERATOR,
  PUBLIC_URL,
  signIn,
  startGateway,
  type TestGateway,
} from './start-gateway.ts'

const songs = songsStub()
let gateway: TestGateway
let ada: Browser
let visitor: Browser

beforeAll(async () => {
  gateway = await startGateway({ services: { songs: songs.routes, credits: creditsStub().routes } })
  ada = await gateway.signIn(ADA)
  visitor = gateway.visitor()
})
afterAll(() => gateway[Symbol.asyncDispose]())

const JSON_TYPE = { 'content-type': 'application/json' }
const codeOf = async (answer: Response | Promise<Response>): Promise<unknown> => {
  const { status } = await answer
  const text = await (await answer).text()
  return [status, text.startsWith('{') ? (JSON.parse(text) as { code?: string }).code : undefined]
}

describe('bodies', () => {
  const valid = { lyrics: 'la', style: 'folk' }
  const json = JSON_TYPE
  const bodies: [string, BodyInit | undefined, Record<string, string>, unknown][] = [
    ['valid JSON', JSON.stringify(valid), json, [201, undefined]],
    [
      'a charset',
      JSON.stringify(valid),
      { 'content-type': 'Application/JSON; charset=utf-8' },
      [201, undefined],
    ],
    ['a byte-order mark', `\uFEFF${JSON.stringify(valid)}`, json, [201, undefined]],
    ['duplicate keys', '{"lyrics":"","lyrics":"la","style":"folk"}', json, [201, undefined]],
    ['nothing, said to be JSON', '', json, [400, 'malformed_json']],
    ['broken JSON', '{"lyrics":', json, [400, 'malformed_json']],
    ['bad UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), json, [400, 'malformed_json']],
    ['an array', '[]', json, [400, 'invalid_request']],
    ['a number as text', '{"lyrics":1,"style":"x"}', json, [400, 'invalid_request']],
    ['null as text', '{"lyrics":null,"style":"x"}', json, [400, 'invalid_request']],
    ['another type', 'x', { 'content-type': 'text/plain' }, [415, 'unsupported_media_type']],
    ['a form', new URLSearchParams(valid), {}, [415, 'unsupported_media_type']],
    ['no type', Buffer.from('{}'), {}, [415, 'unsupported_media_type']],
    ['a broken type', '{}', { 'content-type': 'application' }, [415, 'unsupported_media_type']],
    ['an encoding', '{}', { ...json, 'content-encoding': 'gzip' }, [415, 'unsupported_media_type']],
    ['2 MiB', JSON.stringify({ ...valid, x: 'x'.repeat(2 ** 21) }), json, [413, 'body_too_large']],
    ['a NUL', '{"lyrics":"a\\u0000","style":"x"}', json, [400, 'invalid_text']],
    ['a lone surrogate', '{"lyrics":"a\\ud800","style":"x"}', json, [400, 'invalid_text']],
    ['a NUL in an unknown field', '{"lyrics":"a","style":"x","z":"\\u0000"}', json, [201, undefined]],
    ['prototype keys', '{"__proto__":{"lyrics":"a"},"style":"x"}', json, [400, 'lyrics_and_style_required']],
    ['constructor keys', '{"constructor":{"prototype":{}},"lyrics":"a","style":"x"}', json, [201, undefined]],
    [
      'white space of Unicode',
      '{"lyrics":"\u0085\u2003","style":"x"}',
      json,
      [400, 'lyrics_and_style_required'],
    ],
    ['invisible text', '{"lyrics":"\u200b","style":"\u2800"}', json, [400, 'lyrics_and_style_required']],
    ['one field', '{"lyrics":"a"}', json, [400, 'lyrics_and_style_required']],
    [
      '10,000 code points',
      JSON.stringify({ lyrics: '😀'.repeat(10_000), style: 'x' }),
      json,
      [201, undefined],
    ],
    [
      '10,001 letters',
      JSON.stringify({ lyrics: 'a'.repeat(10_001), style: 'x' }),
      json,
      [400, 'text_too_long'],
    ],
    [
      'a style of 1,001',
      JSON.stringify({ lyrics: 'a', style: 'x'.repeat(1001) }),
      json,
      [400, 'text_too_long'],
    ],
  ]
  test('a body is accepted, or refused by what is wrong with it', async () => {
    const answers = await Array.fromAsync(bodies, async ([what, body, headers]) => {
      const sent = ada.send('/api/songs', { method: 'POST', headers, body: body ?? null })
      return [what, await codeOf(sent)]
    })
    expect(answers).toEqual(bodies.map(([what, , , expected]) => [what, expected]))
  })

  test('fields that are not asked for have no effect, and text is stored as sent', async () => {
    const body = {
      lyrics: ' la ',
      style: ' x',
      uid: 'other',
      email: 'o@x',
      status: 'ready',
      charged: true,
      id: '1',
    }
    const song = await (await ada.post('/api/songs', body)).json()
    expect(song).toMatchObject({
      lyrics: ' la ',
      style: ' x',
      email: 'ada@example.org',
      username: 'Ada Lovelace',
    })
    expect(song.status).toBe('pending')
    expect(song).not.toHaveProperty('storagePath1')
  })

  test('an answer holds what its schema names and nothing else', async () => {
    const { id } = await (await ada.post('/api/songs', { lyrics: 'la', style: 'x' })).json()
    songs.songs.set(id, Object.assign(songs.songs.get(id)!, { hidden: 'a field of the service' }))
    expect(await (await ada.get(`/api/songs/${id}`)).json()).not.toHaveProperty('hidden')
    const { items } = await (await ada.get('/api/songs')).json()
    expect(items.find((song: { id: string }) => song.id === id)).not.toHaveProperty('hidden')
  })

  test('a field of the wrong type is named', async () => {
    const problem = await (await ada.post('/api/songs', { lyrics: 1, style: 'x' })).json()
    expect(problem.errors).toEqual([{ path: 'lyrics', message: expect.any(String) as string }])
  })

  test('a value that is 100,000 levels deep is judged like any other', async () => {
    for (const [method, path, before, expected] of [
      ['POST', '/api/payments', '"amount":', [400, 'invalid_amount']],
      ['PUT', '/api/preferences', '"push":', [400, 'invalid_request']],
      ['POST', '/api/songs', '"lyrics":"la","style":"folk","other":', [201, undefined]],
    ] as const)
      for (const [open, close] of [
        ['[', ']'],
        ['{"a":', '}'],
      ] as const) {
        const body = `{${before}${open.repeat(100_000)}0${close.repeat(100_000)}}`
        expect([path, await codeOf(ada.send(path, { method, headers: json, body }))]).toEqual([
          path,
          expected,
        ])
      }
  })

  test('text that cannot be stored is found wherever it is', async () => {
    const deep = `${'['.repeat(1000)}"a\\u0000"${']'.repeat(1000)}`
    const body = `{"amount":${deep}}`
    const answer = ada.send('/api/payments', { method: 'POST', headers: json, body })
    expect(await codeOf(answer)).toEqual([400, 'invalid_text'])
  })

  test('what is no object is refused by what it must be', async () => {
    for (const body of ['[]', 'null', '"x"'])
      expect(await (await ada.post('/api/songs', body)).json()).toMatchObject({
        code: 'invalid_request',
        errors: [{ path: '', message: 'must be object' }],
      })
  })
})

describe('where a request comes from', () => {
  const sources: [Record<string, string>, unknown][] = [
    [{ 'sec-fetch-site': 'same-origin' }, [401, 'not_signed_in']],
    [{ 'sec-fetch-site': 'none' }, [401, 'not_signed_in']],
    [{ origin: PUBLIC_URL }, [401, 'not_signed_in']],
    [{ 'sec-fetch-site': 'cross-site' }, [403, 'cross_site_request']],
    [{ 'sec-fetch-site': 'same-site', origin: PUBLIC_URL }, [403, 'cross_site_request']],
    [{ origin: 'https://evil.example' }, [403, 'cross_site_request']],
    [{ origin: 'null' }, [403, 'cross_site_request']],
  ]
  test('a write from another site is refused before all else', async () => {
    const answers = await Array.fromAsync(sources, async ([headers]) => [
      headers,
      await codeOf(visitor.post('/api/songs', 'not json', headers)),
    ])
    expect(answers).toEqual(sources)
  })

  test('reading from elsewhere is not refused, and webhooks are exempt', async () => {
    expect(await codeOf(visitor.get('/api/geo', { origin: 'https://evil.example' }))).toEqual([
      200,
      undefined,
    ])
    const webhook = visitor.post('/api/webhooks/stripe', '{}', { 'sec-fetch-site': 'cross-site' })
    expect(await codeOf(webhook)).toEqual([503, 'unavailable'])
  })
})

describe('paths and methods', () => {
  const paths: [string, string, unknown, string | null][] = [
    ['GET', '/api/nope', [404, 'not_found'], null],
    ['POST', '/api/nope', [404, 'not_found'], null],
    ['GET', '/api', [404, 'not_found'], null],
    ['GET', '/api/', [404, 'not_found'], null],
    ['GET', '/api/geo/', [404, 'not_found'], null],
    ['GET', '/api/songs/', [404, 'not_found'], null],
    ['GET', '/api/payments/?limit=1', [404, 'not_found'], null],
    ['DELETE', '/api/sessions/', [404, 'not_found'], null],
    ['POST', '/api/operator/songs//fulfil', [401, 'not_signed_in'], null],
    ['DELETE', '/api/songs', [405, 'method_not_allowed'], 'GET, HEAD, POST'],
    ['OPTIONS', '/api/songs', [405, 'method_not_allowed'], 'GET, HEAD, POST'],
    ['PROPFIND', '/api/songs', [405, 'method_not_allowed'], 'GET, HEAD, POST'],
    ['PUT', '/api/songs/x/versions/1', [405, 'method_not_allowed'], 'GET, HEAD'],
    ['POST', '/api/me', [405, 'method_not_allowed'], 'GET, HEAD'],
    ['GET', '/api/payments/alternate?x=1', [405, 'method_not_allowed'], 'POST'],
    ['GET', '/api/payments/naira-transfers', [405, 'method_not_allowed'], 'POST'],
    ['HEAD', '/api/payments/naira-transfers', [405, undefined], 'POST'],
    ['GET', '/%61pi/payments/%61lternate', [405, 'method_not_allowed'], 'POST'],
    ['GET', '/%61pi/nothing', [404, 'not_found'], null],
    ['POST', '/somewhere', [405, 'method_not_allowed'], 'GET, HEAD'],
    ['GET', '/metrics', [404, 'not_found'], null],
    ['GET', '/readyz', [404, 'not_found'], null],
    ['GET', '/healthz', [200, undefined], null],
    ['GET', '/api/me', [401, 'not_signed_in'], null],
    ['GET', '/api/songs/%zz', [401, 'not_signed_in'], null],
    ['GET', `/api/geo?${'x'.repeat(17_000)}`, [414, 'uri_too_long'], null],
    ['GET', '/api/geo?a=1&a=2', [400, 'invalid_request'], null],
    ['GET', '/api/geo?a=%00', [400, 'invalid_text'], null],
  ]
  test('a path that there is not is 404, a method that it has not 405 with those that it has', async () => {
    const answers = await Array.fromAsync(paths, async ([method, path]) => {
      const answer = await visitor.send(path, { method })
      return [method, path, await codeOf(answer), answer.headers.get('allow')]
    })
    expect(answers).toEqual(paths)
  })

  test('every other path is answered by the web app', async () => {
    for (const path of [
      '/',
      '/payment-success?x=y',
      '/a/b/',
      '/apiary',
      '/%zz',
      '/%00',
      '/.env',
      '/index.html',
    ]) {
      const answer = await visitor.get(path)
      expect([path, answer.status, answer.headers.get('content-type')]).toEqual([
        path,
        200,
        'text/html; charset=utf-8',
      ])
      expect(await answer.text()).toMatch(/<title>Prelude &#60;3<\/title>.*<meta content="2 5">/s)
    }
  })

  test('a new build is served without a restart', async () => {
    const file = join(gateway.config.webRoot, 'index.html')
    const before = readFileSync(file, 'utf8')
    writeFileSync(file, before.replace('</title>', ', built again</title>'))
    expect(await (await visitor.get('/')).text()).toContain('<title>Prelude &#60;3, built again</title>')
    writeFileSync(file, before)
    expect(await (await visitor.get('/')).text()).toContain('<title>Prelude &#60;3</title>')
  })

  test('an installed app has the name that is configured', async () => {
    const answer = await visitor.get('/manifest.webmanifest')
    expect(answer.headers.get('content-type')).toMatch(/^application\/manifest\+json/)
    expect(await answer.json()).toEqual({ name: 'Prelude <3' })
  })

  test('files of the build are served, those with a hash for ever', async () => {
    const answer = await visitor.get('/assets/app-abc.js')
    expect(await answer.text()).toBe('export {}')
    expect(answer.headers.get('cache-control')).toContain('immutable')
    expect((await visitor.send('/assets/app-abc.js', { method: 'HEAD' })).status).toBe(200)
  })

  test('pages of other origins show the picture of mails, and no other file', async () => {
    const policyOf = async (path: string): Promise<string | null> =>
      (await visitor.get(path)).headers.get('cross-origin-resource-policy')
    expect(await policyOf('/mail-cassette.png')).toBe('cross-origin')
    expect(await policyOf('/assets/app-abc.js')).toBe('same-origin')
  })

  test('what is too large, or not HTTP, is a problem with the headers of any other', async () => {
    for (const [text, status] of [
      [`GET /healthz HTTP/1.1\r\nhost: x\r\nx-big: ${'x'.repeat(17_000)}\r\n\r\n`, 431],
      [`GET /${'x'.repeat(100_000)} HTTP/1.1\r\nhost: x\r\n\r\n`, 414],
      ['hello\r\n\r\n', 400],
    ] as const) {
      const answer = await raw(text)
      expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
      expect(answer).toMatch(/content-type: application\/problem\+json/)
      expect(answer.includes('"errors":[]')).toBe(status === 400)
      expect(answer).toMatch(/x-request-id: /)
      expect(answer).toMatch(/x-content-type-options: nosniff\r\n/)
      expect(answer).toMatch(/content-security-policy: default-src 'none'/)
    }
  })

  const raw = (text: string): Promise<string> =>
    new Promise((resolve) => {
      let received = ''
      const socket = connect(gateway.port, '127.0.0.1', () => socket.write(text))
      socket.on('data', (data) => {
        received += data.toString()
        if (received.includes('\r\n\r\n')) socket.end()
      })
      socket.on('close', () => resolve(received)).on('error', () => resolve(received))
    })
})

describe('headers', () => {
  test('a harmless request id of the client is used, another is not', async () => {
    const kept = await visitor.get('/api/nope', { 'x-request-id': 'abc_DEF-123' })
    expect(kept.headers.get('x-request-id')).toBe('abc_DEF-123')
    expect(await kept.json()).toMatchObject({ requestId: 'abc_DEF-123', type: 'about:blank', status: 404 })
    expect(kept.headers.get('content-type')).toMatch(/^application\/problem\+json/)
    for (const id of ['short', 'x'.repeat(65), 'bad id here'])
      expect((await visitor.get('/', { 'x-request-id': id })).headers.get('x-request-id')).not.toBe(id)
  })

  test('the policy stands in full on every page', async () => {
    const { headers } = await visitor.get('/')
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none';script-src 'self';style-src 'self';img-src 'self' data: https:;media-src 'self' blob:;connect-src 'self';font-src 'self';manifest-src 'self';form-action 'self';base-uri 'none';frame-ancestors 'none'",
    )
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('access-control-allow-origin')).toBeNull()
  })
})

describe('order of checks', () => {
  test('session before body, role before body, body before the object', async () => {
    for (const path of ['/api/songs', '/api/operator/credits'])
      expect(await codeOf(visitor.post(path, 'not json'))).toEqual([401, 'not_signed_in'])
    const eve = await gateway.signIn(EVE)
    expect(await codeOf(eve.post('/api/operator/credits', 'not json'))).toEqual([403, 'operator_only'])
    const locked = gateway.visitor()
    await signIn(locked, gateway.identity, OPERATOR)
    expect(await codeOf(locked.post('/api/operator/credits', 'not json'))).toEqual([403, 'operator_locked'])
    const operator = await gateway.operator()
    expect(await codeOf(operator.post('/api/operator/songs/nope/refund', 'x'))).toEqual([
      400,
      'malformed_json',
    ])
    expect(await codeOf(operator.post('/api/operator/songs/nope/refund', { reason: ' \u3164' }))).toEqual([
      400,
      'invalid_request',
    ])
    expect(await codeOf(operator.post('/api/operator/songs/nope/refund', { reason: 'x' }))).toEqual([
      404,
      'song_not_found',
    ])
  })

  test('a body that is wrong is refused before its song is looked for', async () => {
    const nowhere = '/api/songs/nope'
    const title = 'x'.repeat(121)
    const long = { version: 1, text: 'x'.repeat(501) }
    const patch = (body: object) =>
      ada.send(nowhere, { method: 'PATCH', headers: JSON_TYPE, body: JSON.stringify(body) })
    expect(await codeOf(patch({ title }))).toEqual([400, 'invalid_request'])
    expect(await codeOf(patch({ lyrics: ' ' }))).toEqual([400, 'lyrics_and_style_required'])
    expect(await codeOf(patch({ style: 'x'.repeat(1001) }))).toEqual([400, 'text_too_long'])
    expect(await codeOf(patch({ style: 'x' }))).toEqual([404, 'song_not_found'])
    const changes = (body: unknown) => ada.post(`${nowhere}/changes`, body)
    for (const body of [{}, { notes: [long] }, { notes: [{ version: 1, text: ' \u2060 ' }] }])
      expect(await codeOf(changes(body))).toEqual([400, 'invalid_request'])
    expect(await codeOf(changes('x'))).toEqual([400, 'malformed_json'])
    expect(await codeOf(changes({ notes: [{ version: 1, text: 'x' }] }))).toEqual([404, 'song_not_found'])
    const share = (body?: object) => ada.post(`${nowhere}/shares`, body)
    expect(await codeOf(share({ expiresAt: 1 }))).toEqual([400, 'invalid_request'])
    expect(await codeOf(share())).toEqual([404, 'song_not_found'])
  })

  test('a refused caller sees the answer though a large body is on its way', async () => {
    const body = new Uint8Array(8 * 1024 * 1024)
    expect(await codeOf(visitor.send('/api/operator/songs/x/fulfil', { method: 'POST', body }))).toEqual([
      401,
      'not_signed_in',
    ])
  })
})

test('a list is read by a limit, a status and a cursor that are such', async () => {
  const queries: [string, unknown][] = [
    ['limit=0', [400, 'invalid_request']],
    ['limit=101', [400, 'invalid_request']],
    ['limit=1.5', [400, 'invalid_request']],
    ['limit=', [400, 'invalid_request']],
    ['limit=1&limit=2', [400, 'invalid_request']],
    ['limit=100', [200, undefined]],
    ['status=done', [400, 'invalid_request']],
    ['status=ready', [200, undefined]],
    ['cursor=', [400, 'invalid_cursor']],
    [`cursor=${'x'.repeat(MAX_CURSOR + 1)}`, [400, 'invalid_cursor']],
    ['unknown=1', [200, undefined]],
  ]
  const answers = await Array.fromAsync(queries, async ([query]) => [
    query,
    await codeOf(ada.get(`/api/songs?${query}`)),
  ])
  expect(answers).toEqual(queries)
  const operator = await gateway.operator()
  expect(await codeOf(operator.get('/api/operator/songs?unread=false'))).toEqual([400, 'invalid_request'])
})

test('people see their own songs only, and other ids are not confirmed', async () => {
  const song = await (await ada.post('/api/songs', { lyrics: 'mine', style: 'x' })).json()
  const eve = await gateway.signIn(EVE)
  expect(await codeOf(eve.get(`/api/songs/${song.id}`))).toEqual([404, 'song_not_found'])
  expect(await codeOf(eve.get('/api/songs/nope'))).toEqual([404, 'song_not_found'])
  expect((await (await eve.get('/api/songs')).json()).items).toEqual([])
  const locked = gateway.visitor()
  await signIn(locked, gateway.identity, OPERATOR)
  expect(await codeOf(locked.get(`/api/songs/${song.id}`))).toEqual([404, 'song_not_found'])
  const operator = await gateway.operator()
  expect(await (await operator.get(`/api/songs/${song.id}`)).json()).toHaveProperty('storagePath1')
})

test('the statement is decimals, and as CSV the whole of it with formulas defused', async () => {
  const page = await (await ada.get('/api/credits/entries')).json()
  expect(page.items[0]).toMatchObject({ amount: -10.5, balanceAfter: 25.5 })
  const csv = await ada.get('/api/credits/entries?format=csv')
  expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(await csv.text()).toBe(
    [
      'id,amount,balanceAfter,reason,reference,createdAt',
      "'=1,-10.5,25.5,top_up,,1970-01-01T00:00:00.000Z",
      'b,25,25.5,top_up,"p,1",1970-01-01T00:00:00.000Z',
      '',
    ].join('\r\n'),
  )
})

test('the document is made from the routes, and the page for people runs no script', async () => {
  const document = await (await visitor.get('/api/openapi.json')).json()
  expect(document.openapi).toMatch(/^3\./)
  expect(Object.keys(document.paths)).toContain('/api/operator/songs/{id}/fulfil')
  const isRequired = (path: string): boolean => document.paths[path].post.requestBody.required
  expect(
    ['/api/songs', '/api/songs/{id}/shares'].map(isRequired),
    'of the second all may be left out',
  ).toEqual([true, false])
  const page = await (await visitor.get('/api/docs')).text()
  expect(page).toContain('POST /api/songs')
  expect(page).not.toMatch(/<script|<style|style=/)
  const sheets = [...page.matchAll(/<link rel="stylesheet" href="([^"]+)"/g)].map(([, href]) => href)
  expect(sheets, 'the styles of the app, and over them its own').toEqual(['/assets/app-abc.css', '/docs.css'])
})

test('a service that is down: 503 with a time to come back, and a sentence of its own for submits', async () => {
  await using alone = await startGateway()
  const browser = await alone.signIn()
  const list = await browser.get('/api/songs')
  expect([list.status, list.headers.get('retry-after')]).toEqual([503, '2'])
  const submit = await (await browser.post('/api/songs', { lyrics: 'a', style: 'b' })).json()
  expect(submit).toMatchObject({ code: 'submit_failed', detail: 'Error submitting request. Try again.' })
})
