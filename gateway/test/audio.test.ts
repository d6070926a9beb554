import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AppError, newId } from '@prelude/platform'
import type { FastifyInstance } from 'fastify'
import { songOf, songsStub } from './stand-ins.ts'
import { ADA, type Browser, EVE, startGateway, type TestGateway, uidOf } from './start-gateway.ts'

const songs = songsStub()
const bytes = Buffer.from(Array.from({ length: 50_000 }, (_, n) => n % 251))
const etag = `"${createHash('sha256').update(bytes).digest('hex')}"`
const asked: object[] = []
const ELSEWHERE = 'https://audio.example/signed?until=soon'
let isElsewhere = false
let isLost = false

function storageStub(app: FastifyInstance): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/audio',
    handler: async (request, reply) => {
      asked.push({ url: request.url, cookie: request.headers.cookie })
      if (isLost) throw new AppError('not_found')
      if (isElsewhere) return reply.redirect(ELSEWHERE, 302)
      void reply.headers({
        etag,
        'accept-ranges': 'bytes',
        'content-type': 'audio/mpeg',
        'x-inner': 'secret',
      })
      if (request.headers['if-none-match'] === etag) return reply.code(304).send()
      const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '')
      const [start, end] = range ? [Number(range[1]), Number(range[2])] : [0, bytes.length - 1]
      if (start >= bytes.length)
        return reply.code(416).header('content-range', `bytes */${bytes.length}`).send()
      void reply.header('content-length', String(end - start + 1))
      if (range) void reply.code(206).header('content-range', `bytes ${start}-${end}/${bytes.length}`)
      return reply.send(request.method === 'HEAD' ? null : bytes.subarray(start, end + 1))
    },
  })
  app.get('/waveform', () => Promise.reject(new AppError('waveform_not_ready')))
  app.post('/zip', async (request, reply) => {
    asked.push(request.body as object)
    return reply
      .headers({ 'content-type': 'application/zip', 'content-disposition': 'attachment' })
      .send('PK')
  })
}

const PATHS = { storagePath1: 'songs/s/version1_a.mp3', storagePath2: 'songs/s/version2_b.mp3' }
/** What storage is asked for version 1. */
const OBJECT = '/audio?path=songs%2Fs%2Fversion1_a.mp3&beside=songs%2Fs%2Fversion2_b.mp3'

let gateway: TestGateway
let ada: Browser
const ready = newId()
const pending = newId()
beforeAll(async () => {
  gateway = await startGateway({ services: { songs: songs.routes, storage: storageStub } })
  ada = await gateway.signIn(ADA)
  const mine = { uid: uidOf(ADA), lyrics: 'words', brief: { tempoBpm: 96 } }
  songs.songs.set(
    ready,
    songOf({ ...mine, id: ready, status: 'ready', downloadUrl1: '/1', downloadUrl2: '/2', ...PATHS }),
  )
  songs.songs.set(pending, songOf({ ...mine, id: pending }))
})
afterAll(() => gateway[Symbol.asyncDispose]())

const audio = (headers: Record<string, string> = {}, query = ''): Promise<Response> =>
  ada.get(`/api/songs/${ready}/versions/1${query}`, headers)

test('the audio comes whole, privately, with the headers a player needs and no others', async () => {
  const answer = await audio({ 'accept-encoding': 'gzip' })
  expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true)
  expect(answer.status).toBe(200)
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    etag,
    'accept-ranges': 'bytes',
    'content-type': 'audio/mpeg',
    'content-length': '50000',
    'cache-control': 'private, no-cache',
  })
  expect(answer.headers.get('x-inner')).toBeNull()
  expect(asked.at(-1)).toEqual({ url: OBJECT, cookie: undefined })
})

test('ranges, conditions and HEAD are judged by storage and passed on', async () => {
  const part = await audio({ range: 'bytes=10-19' })
  expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 10-19/50000'])
  expect(Buffer.from(await part.arrayBuffer())).toEqual(bytes.subarray(10, 20))
  const beyond = await audio({ range: 'bytes=60000-60001' })
  expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */50000'])
  const same = await audio({ 'if-none-match': etag })
  expect([same.status, await same.text()]).toEqual([304, ''])
  const head = await ada.send(`/api/songs/${ready}/versions/2`, { method: 'HEAD' })
  expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '50000', ''])
  isLost = true
  const lost = await ada.send(`/api/songs/${ready}/versions/2`, { method: 'HEAD' })
  isLost = false
  expect([lost.status, await lost.text()]).toEqual([404, ''])
  await (await audio({}, '?download=1')).arrayBuffer()
  expect(asked.at(-1)).toMatchObject({ url: `${OBJECT}&download=1` })
  await (await audio({}, '?download=1&as=title')).arrayBuffer()
  expect(asked.at(-1)).toMatchObject({ url: `${OBJECT}&download=1&title=folk` })
  await (await audio({}, '?inside=1')).arrayBuffer()
  expect(asked.at(-1)).toMatchObject({ url: `${OBJECT}&inside=1` })
})

test('there is nothing for others, for a song that is not ready, for other versions', async () => {
  const eve = await gateway.signIn(EVE)
  const statuses = await Promise.all([
    eve.get(`/api/songs/${ready}/versions/1`),
    eve.get(`/api/songs/${ready}/download`),
    ada.get(`/api/songs/${pending}/versions/1`),
    ada.get(`/api/songs/${pending}/download`),
    ada.get(`/api/songs/${ready}/versions/3`),
    ada.get('/api/songs/nope/versions/1'),
    gateway.visitor().get(`/api/songs/${ready}/versions/1`),
  ])
  expect(statuses.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404, 401])
  const wave = await ada.get(`/api/songs/${pending}/versions/1/waveform`)
  expect((await wave.json()).code).toBe('waveform_not_ready')
  const analysed = `/api/songs/${ready}/versions/1/waveform`
  expect((await ada.get(analysed)).status).toBe(404)
  expect((await ada.get(analysed, { prefer: 'handling=lenient' })).status).toBe(204)
  const operator = await gateway.operator()
  expect((await operator.get(`/api/songs/${ready}/versions/1`, { range: 'bytes=0-0' })).status).toBe(206)
})

test('the ZIP gets the texts from their owner', async () => {
  const answer = await ada.get(`/api/songs/${ready}/download`)
  expect([await answer.text(), answer.headers.get('content-type')]).toEqual(['PK', 'application/zip'])
  expect(asked.at(-1)).toEqual({
    songId: ready,
    paths: [PATHS.storagePath1, PATHS.storagePath2],
    lyrics: 'words',
    style: 'folk',
    title: 'folk',
    brief: 'Tempo (BPM): 96\n',
  })
})

test('audio that the store serves itself is an address, given only to those with access', async () => {
  isElsewhere = true
  try {
    const answer = await ada.get(`/api/songs/${ready}/versions/1`)
    expect([answer.status, answer.headers.get('location')]).toEqual([302, ELSEWHERE])
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
    const eve = await gateway.signIn(EVE)
    expect((await eve.get(`/api/songs/${ready}/versions/1`)).status).toBe(404)
  } finally {
    isElsewhere = false
  }
})
