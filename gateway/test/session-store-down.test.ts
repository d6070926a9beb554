import { newId, Unavailable } from '@prelude/platform'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { creditsStub, songOf, songsStub } from './stand-ins.ts'
import { ADA, type Browser, startGateway, type TestGateway, uidOf } from './start-gateway.ts'
import type { KeyValue } from '../src/api/key-value/port.ts'

/** The key-value store, which holds sessions and limits, is full, goes away and comes back. */

let gateway: TestGateway
let ada: Browser
const songs = songsStub()

/** What it refuses: with its memory full, Redis still answers reads, and removes entries. */
let refused: readonly (keyof KeyValue)[] = []
const WRITES = ['set', 'setIfAbsent', 'increment', 'lease'] as const
const ALL = [...WRITES, 'get', 'getAndDelete', 'publish', 'subscribe', 'ping'] as const

const failing = (real: KeyValue): KeyValue =>
  new Proxy(real, {
    get: (target, name: keyof KeyValue) =>
      refused.includes(name)
        ? async () => {
            throw new Unavailable('the key-value store', 'away')
          }
        : target[name].bind(target),
  })

beforeAll(async () => {
  gateway = await startGateway({
    kv: failing,
    config: { rateLimits: true },
    services: {
      songs: songs.routes,
      credits: creditsStub().routes,
      storage: (app) => app.get('/audio', async () => 'RIFF'),
    },
  })
  ada = await gateway.signIn()
})
afterAll(() => gateway[Symbol.asyncDispose]())

const answerTo = async (given: Promise<Response>): Promise<unknown[]> => {
  const answer = await given
  const { code } = (await answer.json()) as { code: string }
  return [answer.status, code, answer.headers.has('retry-after')]
}

const unavailable = [503, 'unavailable', true]

test('while its memory is full a request that is counted is answered 503 and reaches no service, one that only reads is served', async () => {
  refused = WRITES
  const id = newId()
  const ready = { status: 'ready', downloadUrl1: '/1', storagePath1: 'songs/s/version1.mp3' } as const
  songs.songs.set(id, songOf({ id, uid: uidOf(ADA), ...ready }))
  for (const path of ['/api/songs', `/api/songs/${id}/versions/1`])
    expect([path, (await ada.get(path)).status]).toEqual([path, 200])
  const before = songs.seen.length
  const song = { lyrics: 'a', style: 'b' }
  expect(await answerTo(ada.post('/api/songs', song))).toEqual([503, 'submit_failed', true])
  expect(await answerTo(ada.post('/api/payments', { amount: 25 }))).toEqual(unavailable)
  expect(await answerTo(gateway.visitor().get('/api/auth/login'))).toEqual(unavailable)
  expect(songs.seen.length).toBe(before)
  refused = []
  expect((await ada.post('/api/songs', song)).status).toBe(201)
})

test('a request with a session is answered 503, not 401', async () => {
  refused = ALL
  for (const path of ['/api/me', '/api/songs', '/api/live', '/api/operator/songs'])
    expect([path, await answerTo(ada.get(path))]).toEqual([path, unavailable])
  expect(await answerTo(ada.post('/api/songs', { lyrics: 'a', style: 'b' }))).toEqual([
    503,
    'submit_failed',
    true,
  ])
  expect(await answerTo(ada.post('/api/payments', { amount: 25 }))).toEqual(unavailable)
})

test('to ask who is signed in is no error for nobody, if so preferred, but an outage is', async () => {
  refused = ALL
  const lenient = { prefer: 'handling=lenient' }
  expect(await answerTo(ada.get('/api/me', lenient))).toEqual(unavailable)
  expect((await gateway.visitor().get('/api/me', lenient)).status).toBe(204)
  expect((await gateway.visitor().get('/api/songs', lenient)).status).toBe(401)
})

test('a request without a session reads public resources', async () => {
  const visitor = gateway.visitor()
  expect(await answerTo(visitor.get('/api/me'))).toEqual([401, 'not_signed_in', false])
  for (const path of ['/', '/api/geo', '/api/payment-methods', '/api/openapi.json'])
    expect([path, (await visitor.get(path)).status]).toEqual([path, 200])
})

test('no session ends by it', async () => {
  refused = []
  expect((await ada.get('/api/me')).status).toBe(200)
})
