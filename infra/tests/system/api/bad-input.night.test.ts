import { eventually } from '@prelude/platform/eventually'
import { beforeAll, expect, test } from 'vitest'
import {
  caller,
  type Caller,
  giveCredits,
  productOfFile,
  type Reply,
  requestSong,
  type Sending,
  somebody,
  type Somebody,
  unlockedOperator,
} from '../../support/callers.ts'
import { balanceIs, startCheckout } from '../../support/checkout.ts'
import { press } from '../../support/checkout-page.ts'

/** Invalid input to every operation of the API document: each answer is a refusal, no data changes, no 5xx. */
const product = productOfFile()
let ada: Somebody
let eve: Somebody
let operator: Somebody
let calls: { method: string; path: string }[]
let adas: { song: string; payment: string }

beforeAll(async () => {
  operator = await unlockedOperator(product())
  ada = await somebody(product())
  eve = await somebody(product())
  await giveCredits(operator, ada.uid, 10)
  const song = await requestSong(ada)
  const checkout = await startCheckout(ada, 25)
  await press(checkout, 'pay')
  await balanceIs(ada, 25)
  // payments records that the ledger has credited it a moment later
  await eventually(async () => {
    const path = `/api/get-session?session_id=${checkout.session}`
    if (!(await ada.call<{ credited: boolean }>('GET', path)).body.credited) throw new Error('not credited')
  })
  adas = { song: song.id, payment: checkout.id }
  const { body } = await caller(product())<{ paths: Record<string, object> }>('GET', '/api/openapi.json')
  calls = Object.entries(body.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ path, method: method.toUpperCase() })),
  )
})

/** Left out: some end sessions, and event streams do not end. */
const APART = new Set([
  'POST /api/auth/logout',
  'POST /api/auth/logout-everywhere',
  'POST /api/operator/lock',
  'GET /api/live',
  'GET /api/operator/ops/live',
])

/** Every field may be left out: a body without one of them changes nothing, and is no mistake. */
const TAKES_LESS = new Set(['PUT /api/preferences'])

const state = async (): Promise<unknown> => {
  const paths = [
    '/api/songs',
    '/api/payments',
    '/api/credits',
    '/api/credits/entries',
    '/api/me',
    '/api/preferences',
  ]
  const own = await Promise.all([ada, eve].flatMap(({ call }) => paths.map((path) => call('GET', path))))
  const all = await Promise.all(
    ['songs', 'people', 'payments', 'transfers'].map((list) =>
      operator.call('GET', `/api/operator/${list}?limit=100`),
    ),
  )
  return [...own, ...all].map(({ body }) => body)
}

function expectHarmless(what: string, { status, headers, body }: Reply<unknown>): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  expect([what, status, status < 500 || status === 501 ? '' : text]).toEqual([what, status, ''])
  expect([what, headers['x-evil'], headers['x-request-id'] !== undefined]).toEqual([what, undefined, true])
  if (status >= 400 && text !== '') {
    expect([what, headers['content-type']]).toEqual([what, 'application/problem+json; charset=utf-8'])
    expect([what, body]).toEqual([
      what,
      expect.objectContaining({ status, requestId: headers['x-request-id'] }),
    ])
  }
  if (status >= 400)
    expect(text).not.toMatch(/node_modules|\.ts:\d|\bat (async )?\w+ \(|select .* from|ECONN|syntax error/i)
}

/** Runs several at a time. */
async function sendAll(requests: (() => Promise<void>)[]): Promise<void> {
  const waiting = requests.values()
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (const send of waiting) await send()
    }),
  )
}

/** The operator's operations are called as the operator: others would get 403 for any input. */
const callersOf = (path: string): Caller[] =>
  path.startsWith('/api/operator/') ? [operator.call] : [eve.call]

const fill = (path: string, id: string): string => path.replace('{id}', id).replace('{n}', '1')
const sends = (method: string): boolean => ['POST', 'PUT', 'PATCH', 'DELETE'].includes(method)

const FIELDS =
  'lyrics style amount myamount userId password reason email uid credits version1 version2 id status charged mail push title brief'.split(
    ' ',
  )
const everyField = (value: unknown): string =>
  JSON.stringify(Object.fromEntries(FIELDS.map((field) => [field, value])))
const deep = (open: string, close: string): string =>
  `{"lyrics":${open.repeat(50_000)}1${close.repeat(50_000)}}`
const JSON_TYPE = { 'content-type': 'application/json' }
const json = (raw: string | Buffer): Sending => ({ raw, headers: JSON_TYPE })
const typed = (type: string, raw = '{"lyrics":"a","style":"b"}'): Sending => ({
  raw,
  headers: { 'content-type': type },
})

const BODIES: Record<string, Sending> = {
  none: {},
  empty: json(''),
  'a number': json('1'),
  null: json('null'),
  'a list': json('[{"lyrics":"a"}]'),
  'NaN as a number': json('{"amount":NaN,"lyrics":NaN}'),
  'NUL bytes': json(Buffer.from([0, 0, 0, 0])),
  'UTF-16': json(Buffer.from('{"lyrics":"a"}', 'utf16le')),
  'numbers everywhere': json(everyField(7)),
  'nulls everywhere': json(everyField(null)),
  'lists everywhere': json(everyField([])),
  'objects everywhere': json(everyField({ toString: 1, $ne: null })),
  'huge numbers': json(everyField(0).replaceAll(':0', ':1e308')),
  'endless numbers': json(everyField(0).replaceAll(':0', ':-1e999')),
  'NUL in text': json(everyField('a\0b')),
  'lone surrogates': json(everyField('a').replaceAll('"a"', '"\\udfff"')),
  '10,001 code points': json(everyField('😀'.repeat(10_001))),
  '10,000 code points': json(everyField('😀'.repeat(10_000))),
  'white space': json(everyField(' \u2003')),
  'prototype keys': json(`{"__proto__":${everyField('x')},"constructor":{"prototype":${everyField('x')}}}`),
  'lists in lists': json(deep('[', ']')),
  'objects in objects': json(deep('{"a":', '}')),
  'a form': typed('application/x-www-form-urlencoded', 'lyrics=a&style=b&amount=25'),
  'plain text': typed('text/plain'),
  XML: typed('application/xml', '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>'),
  'no type': { raw: '{"lyrics":"a","style":"b"}' },
  'a broken type': typed(';;;'),
  'a broken multipart': typed('multipart/form-data; boundary=x', '--y\r\n\r\n'),
  'said to be packed': { raw: '{}', headers: { ...JSON_TYPE, 'content-encoding': 'gzip' } },
}

const IDS = (): string[] => [
  '-',
  '%00',
  'a%00b',
  '..',
  '..%2f..%2f..%2fetc%2fpasswd',
  '%5c..%5c',
  '%0d%0aX-Evil:%201',
  "'%3b%20drop%20table%20song%3b--",
  '__proto__',
  '%F0%9F%98%80',
  '%ff%fe',
  '%zz',
  'a'.repeat(4000),
  '00000000-0000-7000-8000-000000000000',
  adas.song,
  adas.payment,
]

test('no kind of body causes a 5xx or a change', async () => {
  const before = await state()
  const id = '00000000-0000-7000-8000-000000000000'
  const requests = calls
    .filter(({ method, path }) => sends(method) && !APART.has(`${method} ${path}`))
    .flatMap(({ method, path }) =>
      Object.entries(BODIES).flatMap(([name, sending]) =>
        callersOf(path).map((call) => async () => {
          const reply = await call(method, fill(path, id), sending)
          const what = `${method} ${path} with ${name}`
          expectHarmless(what, reply)
          const isRefused = reply.status >= 400 || TAKES_LESS.has(`${method} ${path}`)
          expect([what, isRefused]).toEqual([what, true])
        }),
      ),
    )
  expect(requests.length).toBeGreaterThan(500)
  await sendAll(requests)
  expect(await state()).toEqual(before)
})

test("no id in a path breaks a call, and a stranger's are as unknown as none", async () => {
  const before = await state()
  const requests = calls
    .filter(({ path }) => path.includes('{id}'))
    .flatMap(({ method, path }) =>
      IDS().flatMap((id) =>
        // the operator may start and release any song, and neither has a body that could be wrong
        (/\/(start|release)$/.test(path) ? [eve.call] : [eve.call, operator.call]).map(
          (call: Caller) => async () => {
            const reply = await call(
              method,
              fill(path, id),
              sends(method) ? json('{"reason":5,"amount":"x","notes":[{"version":1,"text":"x"}]}') : {},
            )
            const what = `${method} ${fill(path, id).slice(0, 80)}`
            expectHarmless(what, reply)
            if (call === eve.call) expect([what, [403, 404].includes(reply.status)]).toEqual([what, true])
          },
        ),
      ),
    )
  await sendAll(requests)
  expect(await state()).toEqual(before)
})

test('no query causes a 5xx', async () => {
  const names = 'q status limit cursor format download gift returnTo mode session_id code state'.split(' ')
  const values = [
    '',
    '%00',
    '%ff',
    '%',
    '%ed%a0%80',
    '😀',
    "'--",
    '[]',
    '1e999',
    '-1',
    'a'.repeat(900),
    '%0d%0aX-Evil:1',
  ]
  const queries = [
    ...values.map((value) =>
      names.map((name) => `${name}=${encodeURI(value).replaceAll('%25', '%')}`).join('&'),
    ),
    'q=a&q=b',
    'limit[]=1&limit[a]=2',
    '__proto__=x&constructor=y&toString=z',
    '&&&===&&',
    'x=1&'.repeat(2000),
  ]
  const requests = calls
    .filter(({ method, path }) => method === 'GET' && !APART.has(`GET ${path}`))
    .flatMap(({ path }) =>
      queries.flatMap((query) =>
        [eve.call, operator.call].map((call: Caller) => async () => {
          const target = `${fill(path, adas.song)}?${query}`
          expectHarmless(target.slice(0, 120), await call('GET', target))
        }),
      ),
    )
  await sendAll(requests)
})

test('unusual headers cause no 5xx', async () => {
  const odd: Record<string, string>[] = [
    { cookie: 'session=' + 'a'.repeat(43) },
    { cookie: 'session=a; session=b; __proto__=c; =; ;;' },
    { cookie: '%00=%zz; session=%E0%A4%A' },
    { 'x-forwarded-for': "'; drop table song; --" },
    { 'x-internal-token': 'x', 'x-user-id': ada.uid, authorization: 'Bearer x' },
    { range: 'bytes=-,,,-', 'if-none-match': '"'.repeat(100) },
    { 'content-type': 'multipart/form-data; boundary=' },
    { 'accept-encoding': 'x'.repeat(500), accept: '*/*;q=99' },
    { 'tus-resumable': '9.9.9', 'upload-length': '1e9', 'upload-offset': 'NaN', 'upload-metadata': ',,, ,' },
    { 'x-http-method-override': 'DELETE' },
  ]
  for (const headers of odd)
    for (const [method, path] of [
      ['GET', '/api/me'],
      ['GET', '/api/geo'],
      ['GET', `/api/songs/${adas.song}`],
      ['POST', '/api/operator/uploads'],
    ] as const)
      for (const call of [eve.call, operator.call])
        expectHarmless(
          `${method} ${path} ${JSON.stringify(headers).slice(0, 60)}`,
          await call(method, path, { headers }),
        )
  expect(product().output()).not.toMatch(/"msg":"request failed"|Reply was already sent|outcome not written/)
  expect(product().checkInvariants()).toContain(' 0 broken')
})
