import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { songsStub } from './stand-ins.ts'
import { ADA, EVE, startGateway } from './start-gateway.ts'

/** How much a person and an address may do in a minute. */

const MINUTE_MS = 60_000
/** The time stands still within one minute: requests that count together do not span two. */
beforeEach(
  () => void vi.useFakeTimers({ toFake: ['Date'], now: Math.ceil(Date.now() / MINUTE_MS) * MINUTE_MS }),
)
afterEach(() => void vi.useRealTimers())

const statusesOf = async (answers: Promise<Response>[]): Promise<number[]> =>
  (await Promise.all(answers)).map(({ status }) => status)
const times = <T>(count: number, one: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => one(n))

test('a person submits 30 songs and makes 120 changes a minute; refusals come before the body, reads and others are free', async () => {
  await using gateway = await startGateway({
    config: { rateLimits: true },
    services: { songs: songsStub().routes },
  })
  const [ada, eve] = [await gateway.signIn(ADA), await gateway.signIn(EVE)]
  const song = { lyrics: 'la', style: 'folk' }
  expect(new Set(await statusesOf(times(30, () => ada.post('/api/songs', song))))).toEqual(new Set([201]))
  expect(await statusesOf([ada.post('/api/songs', song), ada.post('/api/songs', '{broken')])).toEqual([
    429, 429,
  ])
  expect(new Set(await statusesOf(times(88, () => ada.post('/api/payments', {}))))).toEqual(new Set([400]))
  expect(await statusesOf([ada.post('/api/payments', {})])).toEqual([429])
  expect(await statusesOf([ada.get('/api/songs'), eve.post('/api/songs', song)])).toEqual([200, 201])
  vi.setSystemTime(Date.now() + MINUTE_MS)
  expect(await statusesOf([ada.post('/api/songs', song)])).toEqual([201])
})

test('an address starts 20 sign-ins a minute; only what the trusted proxy wrote names it', async () => {
  await using gateway = await startGateway({ config: { rateLimits: true, trustedProxyHops: 1 } })
  const login = (forwarded: string): Promise<Response> =>
    gateway.visitor().get('/api/auth/login', { 'x-forwarded-for': forwarded })
  const began = await statusesOf(times(20, (n) => login(`1.2.3.${n}, 9.9.9.9`)))
  expect(new Set(began)).toEqual(new Set([302]))
  expect(await statusesOf([login('9.9.9.9'), login('5.5.5.5, 9.9.9.9'), login('9.9.9.8')])).toEqual([
    429, 429, 302,
  ])
})

/** Media types of answers that are read from rows or files as they are. */
const READ = /^(application\/(problem\+)?json|text\/(html|event-stream)|audio\/\*)$/

test('every GET that computes its answer counts: 30 a minute, over all of them', async () => {
  await using gateway = await startGateway({ config: { rateLimits: true } })
  const operator = await gateway.operator()
  type Operation = { responses: Record<string, { content?: object }> }
  const document = (await (await operator.get('/api/openapi.json')).json()) as {
    paths: Record<string, { get?: Operation }>
  }
  const computing = Object.entries(document.paths).flatMap(([path, { get }]) => {
    const types = Object.keys(get?.responses['200']?.content ?? {}).filter((type) => !READ.test(type))
    return types.map((type) => `${path.replace(/\{\w+\}/, 'x')}${type === 'text/csv' ? '?format=csv' : ''}`)
  })
  expect(computing.toSorted()).toEqual([
    '/api/account/export',
    '/api/credits/entries?format=csv',
    '/api/operator/people/x/export',
    '/api/songs/x/certificate.pdf',
    '/api/songs/x/download',
  ])
  for (let n = 0; n < 30; n++)
    expect((await operator.get(computing[n % computing.length] ?? '')).status).not.toBe(429)
  for (const path of computing) {
    const refused = await operator.get(path)
    expect([path, refused.status, refused.headers.get('retry-after')]).toEqual([path, 429, '60'])
  }
})
