import type { ClientError, Ops } from '@prelude/contracts'
import { expect, test } from 'vitest'
import { reduceClientError } from '../src/ops/reduce-client-error.ts'
import {
  ADA,
  type Browser,
  EVE,
  PUBLIC_URL,
  standingClock,
  startGateway,
  type TestGateway,
} from './start-gateway.ts'

const PATH = '/api/client-errors'
const ERROR = { message: 'x is undefined', release: 'index-abc123', page: '/' }

const report = (browser: Browser, error: object, headers?: Record<string, string>) =>
  browser.post(PATH, { ...ERROR, ...error }, headers)

async function listed(gateway: TestGateway): Promise<readonly ClientError[] | null> {
  const operator = await gateway.operator()
  return ((await (await operator.get('/api/operator/ops')).json()) as Ops).clientErrors
}

test('errors of visitors and people are counted by message and build, the latest first', async () => {
  await using gateway = await startGateway()
  const [visitor, ada] = [gateway.visitor(), await gateway.signIn(ADA)]
  const stack = `TypeError: x\n    at f (${PUBLIC_URL}/assets/home-Ab_1.js:1:23)\n    at ${PUBLIC_URL}/assets/index-x.js:4:5`
  for (const [browser, error] of [
    [visitor, { stack }],
    [visitor, { release: 'index-older' }],
    [ada, { page: '/statement' }],
  ] as const)
    expect((await report(browser, error)).status).toBe(204)
  expect(await listed(gateway)).toEqual([
    {
      message: ERROR.message,
      release: ERROR.release,
      page: '/statement',
      stack: 'home-Ab_1.js:1:23\nindex-x.js:4:5',
      count: 2,
      firstAt: expect.any(Number),
      lastAt: expect.any(Number),
    },
    expect.objectContaining({ release: 'index-older', page: '/', stack: null, count: 1 }),
  ])
})

const MESSAGES: [sent: string, kept: string][] = [
  [
    "Cannot read properties of undefined (reading 'peaks')",
    'Cannot read properties of undefined (reading peaks)',
  ],
  ['Unexpected token \'l\', "la la" is not valid JSON', 'Unexpected token …, … is not valid JSON'],
  ['My secret lyrics are "la la', 'My secret lyrics are …'],
  [
    `Failed to fetch dynamically imported module: ${PUBLIC_URL}/assets/player-abc.js`,
    'Failed to fetch dynamically imported module: assets/player-abc.js',
  ],
  ['Load of https://songs.example.org/ada?token=secret failed', 'Load of … failed'],
  ['no route for /statement?token=secret here', 'no route for /statement… here'],
  ['ada@example.org is taken by +234 803 555 0101', '… is taken by …'],
  ['song 0192f0c1-5a5b-7000-8000-1234567890ab at 10.0.0.1:8080 is gone', 'song … at … is gone'],
  ['can\'t access property "id", it\'s null', "can't access property id, it's null"],
  ['é'.repeat(300), 'é'.repeat(200)],
  ['"only quoted"', '…'],
]
test('of a message nothing is kept that a person may have typed', () => {
  const kept = MESSAGES.map(([message]) => [
    message,
    reduceClientError({ ...ERROR, message }, PUBLIC_URL).message,
  ])
  expect(kept).toEqual(MESSAGES)
})

test('of a page its route is kept, of a stack only positions in our own scripts', async () => {
  await using gateway = await startGateway()
  const stack =
    'at chrome-extension://abc/assets/spy.js:1:2\nat https://evil.example/assets/x.js:1:2\nada@example.org'
  expect((await report(gateway.visitor(), { page: '/songs/ada?token=secret#x', stack })).status).toBe(204)
  expect(await listed(gateway)).toEqual([expect.objectContaining({ page: '/songs/:id', stack: null })])
})

test('a report is refused from other sites, above 4 KiB, and without what it must have', async () => {
  await using gateway = await startGateway()
  const visitor = gateway.visitor()
  expect((await report(visitor, {}, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  expect((await report(visitor, {}, { origin: 'https://evil.example' })).status).toBe(403)
  expect((await report(visitor, { more: 'x'.repeat(4_096) })).status).toBe(413)
  for (const wrong of [
    { message: '' },
    { message: null },
    { release: 'a b' },
    { page: 1 },
    { stack: 'x'.repeat(2_001) },
  ])
    expect((await report(visitor, wrong)).status).toBe(400)
  expect(await listed(gateway)).toEqual([])
})

test('an address and a person may each report 20 errors a minute', async () => {
  // all within one minute
  const clock = standingClock(Date.UTC(2026, 0, 2))
  await using gateway = await startGateway({ clock, config: { rateLimits: true, trustedProxyHops: 1 } })
  const from = (last: number) => ({ 'x-forwarded-for': `203.0.113.${last}` })
  const [visitor, eve] = [gateway.visitor(), await gateway.signIn(EVE)]
  for (let n = 0; n < 20; n++) expect((await report(visitor, {}, from(1))).status).toBe(204)
  const refused = await report(visitor, {}, from(1))
  expect([refused.status, refused.headers.has('retry-after')]).toEqual([429, true])
  for (let n = 0; n < 20; n++) expect((await report(eve, {}, from(2 + n))).status).toBe(204)
  expect((await report(eve, {}, from(100))).status).toBe(429)
  expect((await report(visitor, {}, from(101))).status).toBe(204)
})

test('the latest 100 different errors are kept, and as many of people, which no visitor can replace', async () => {
  await using gateway = await startGateway()
  const [visitor, ada] = [gateway.visitor(), await gateway.signIn(ADA)]
  for (const release of ['both', 'known']) expect((await report(visitor, { release })).status).toBe(204)
  for (let n = 0; n < 102; n++) expect((await report(ada, { release: `ada${n}` })).status).toBe(204)
  expect((await report(ada, { release: 'both' })).status).toBe(204)
  for (let n = 0; n < 103; n++) expect((await report(visitor, { release: `r${n}` })).status).toBe(204)
  const kept = (await listed(gateway))?.map(({ release }) => release) ?? []
  const ofAda = kept.filter((release) => release.startsWith('ada'))
  const ofVisitors = kept.filter((release) => release.startsWith('r'))
  expect([ofAda.length, ofAda[0], ofAda.at(-1)]).toEqual([99, 'ada101', 'ada3'])
  expect([ofVisitors.length, ofVisitors[0], ofVisitors.at(-1)]).toEqual([100, 'r102', 'r3'])
  expect(kept.filter((release) => !/\d/.test(release))).toEqual(['both'])
})
