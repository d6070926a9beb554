import { afterAll, beforeAll, expect, test } from 'vitest'
import { AppError, newId } from '@prelude/platform'
import type { FastifyInstance } from 'fastify'
import { draftOf, songOf, songsStub } from './stand-ins.ts'
import { ADA, type Browser, startGateway, type TestGateway, uidOf } from './start-gateway.ts'

const songs = songsStub()
const song = songOf({ id: newId(), uid: uidOf(ADA) })
songs.songs.set(song.id, song)
const draft = draftOf({ songId: song.id, state: 'ready' })
const asked: { callId: string; count: number; again?: object }[] = []

function storage(app: FastifyInstance): void {
  app.post<{ Body: (typeof asked)[number] }>('/songs/:songId/drafts', async ({ body }) => {
    if (body.count === 4) throw new AppError('too_many_drafts')
    asked.push(body)
    return { items: [draft] }
  })
  app.get('/songs/:songId/drafts', async () => ({ items: [draft], nextCursor: null, generatorSince: 1 }))
  app.get('/drafts/:id/audio', async ({ headers }, reply) =>
    reply
      .code(206)
      .headers({ 'content-range': `of ${headers.range}`, etag: '"a"', 'content-type': 'audio/flac' })
      .send('fLaC'),
  )
  app.post<{ Params: { id: string } }>('/drafts/:id/remove', async ({ params: { id } }) => {
    if (id !== draft.id) throw new AppError('draft_not_found')
    return {}
  })
}

let gateway: TestGateway
let operator: Browser
beforeAll(async () => {
  gateway = await startGateway({ services: { songs: songs.routes, storage }, config: { generator: true } })
  operator = await gateway.operator()
})
afterAll(() => gateway[Symbol.asyncDispose]())

const ofSong = (id: string = song.id): string => `/api/operator/songs/${id}/drafts`
const ofDraft = `/api/operator/drafts/${draft.id}`
const outcome = async (answer: Response): Promise<unknown> =>
  answer.ok ? answer.status : `${answer.status} ${((await answer.json()) as { code: string }).code}`

test('while no generator is in use each route answers 501, after who may call and before all else', async () => {
  await using without = await startGateway({ services: { songs: songs.routes } })
  const calls = async (browser: Browser): Promise<Set<unknown>> => {
    const answers = [
      browser.post(ofSong('-'), '{'),
      browser.get(`${ofSong('-')}?limit=0`),
      browser.get(`${ofDraft}/audio`),
      browser.send(ofDraft, { method: 'DELETE' }),
    ]
    return new Set(await Promise.all((await Promise.all(answers)).map(outcome)))
  }
  expect(await calls(without.visitor())).toEqual(new Set(['401 not_signed_in']))
  expect(await calls(await without.signIn(ADA))).toEqual(new Set(['403 operator_only']))
  expect(await calls(await without.operator())).toEqual(new Set(['501 generator_off']))
})

test('two drafts are asked for, or as many as are said, or one of a part; a repeat with its key asks for none', async () => {
  const again = { draftId: draft.id, fromMs: 0, toMs: 1000 }
  const headers = { 'idempotency-key': newId() }
  for (const body of [
    undefined,
    { count: 1 },
    { again },
    { again: { version: 1, take: 2, fromMs: 5, toMs: 6 } },
  ])
    expect((await operator.post(ofSong(), body)).status).toBe(201)
  for (let i = 0; i < 2; i++) {
    const answer = await operator.post(ofSong(), {}, headers)
    expect([answer.status, await answer.json()]).toEqual([201, { items: [draft] }])
  }
  expect(asked.map(({ count, again: part }) => part ?? count)).toEqual([
    2,
    1,
    again,
    { version: 1, take: 2, fromMs: 5, toMs: 6 },
    2,
  ])
})

const PART = { draftId: draft.id, fromMs: 0, toMs: 1 }
test.for<[expected: string, body: unknown, id?: string]>([
  ['400 malformed_json', '{'],
  ['400 invalid_request', { count: 0 }],
  ['400 invalid_request', { count: 5 }],
  ['400 invalid_request', { count: 1.5 }],
  ['400 invalid_request', { count: '2' }],
  ['400 invalid_request', { count: null }],
  ['400 invalid_request', { again: null }],
  ['400 invalid_request', { again: {} }],
  ['400 invalid_request', { again: PART, count: 1 }],
  ['400 invalid_request', { again: { ...PART, fromMs: -1 } }],
  ['400 invalid_request', { again: { ...PART, fromMs: 1 } }],
  ['400 invalid_request', { again: { ...PART, toMs: 1.5 } }],
  ['400 invalid_request', { again: { ...PART, draftId: 1 } }],
  ['400 invalid_request', { again: { version: 1, fromMs: 0, toMs: 1 } }],
  ['400 invalid_request', { count: 5 }, '-'],
  ['404 song_not_found', {}, '-'],
  ['409 too_many_drafts', { count: 4 }],
])('%s for %j', async ([expected, body, id]) => {
  expect(await outcome(await operator.post(ofSong(id), body))).toBe(expected)
})

test('drafts are listed, heard with ranges and removed, also twice', async () => {
  const list = await operator.get(`${ofSong()}?limit=1`)
  expect(await list.json()).toEqual({ items: [draft], nextCursor: null, generatorSince: 1 })
  expect(await outcome(await operator.get(ofSong(newId())))).toBe('404 song_not_found')
  const audio = await operator.get(`${ofDraft}/audio`, { range: 'bytes=0-3' })
  expect([audio.status, audio.headers.get('content-range'), audio.headers.get('etag')]).toEqual([
    206,
    'of bytes=0-3',
    '"a"',
  ])
  expect(await audio.text()).toBe('fLaC')
  expect((await operator.send(`${ofDraft}/audio`, { method: 'HEAD' })).headers.get('etag')).toBe('"a"')
  const remove = (path: string) => operator.send(path, { method: 'DELETE' }).then(outcome)
  expect([await remove(ofDraft), await remove(ofDraft)]).toEqual([204, 204])
  expect(await remove(`/api/operator/drafts/${newId()}`)).toBe('404 draft_not_found')
  expect(await outcome(await operator.get('/api/operator/drafts/-/audio'))).toBe('404 draft_not_found')
})

test('hearing a draft is one entry of the audit in a session', async () => {
  await using later = await startGateway({
    services: { songs: songs.routes, storage },
    config: { generator: true },
  })
  const other = await later.operator()
  const heard = async (): Promise<number> => {
    const { items } = (await (await other.get('/api/operator/audit?limit=100')).json()) as {
      items: { action: string }[]
    }
    return items.filter(({ action }) => action === 'play-draft').length
  }
  const before = await heard()
  for (let i = 0; i < 3; i++) {
    await other.get(`${ofDraft}/audio`)
    later.clock.pass(20 * 60_000)
  }
  expect((await heard()) - before).toBe(1)
})
