import { writeFile } from 'node:fs/promises'
import {
  type Draft,
  DraftChanged,
  draftsApi,
  type Placed,
  SongClosed,
  SongErased,
  TakesChanged,
} from '@prelude/contracts'
import { type AppError, createLogger, newId, timeIn } from '@prelude/platform'
import { eventually } from '@prelude/platform/eventually'
import { expect, test } from 'vitest'
import {
  type Begun,
  type Generator,
  type GeneratorRequest,
  type Look,
  NotConnected,
} from '../src/generator/port.ts'
import { storageInvariants, storeCheck } from '../src/index.ts'
import { fixture } from './fixtures.ts'
import { type Options, runJobOf, startStorage, type Storage } from './system.ts'

const LEASE_MS = 61_000
const HOUR_MS = 60 * 60_000
const DAY_MS = 24 * HOUR_MS
const SEED = 42
const MEAN_MS = 10_000
const DONE: Look = { state: 'done', file: '/v1/audio?path=a.flac', seed: SEED, with: 'ACE-Step 1.5' }

/** As a server that does not answer. */
const never = (_: unknown, signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))))

/** A generator whose answers a test chooses. Tasks are named t1, t2, … and queued until `looks` says something else of them. */
function fakeGenerator() {
  const fake = {
    requests: [] as GeneratorRequest[],
    looks: new Map<string, Look>(),
    isDown: false,
    begin: async (taskId: string, _signal: AbortSignal): Promise<Begun> => ({
      state: 'begun',
      taskId,
      queuePosition: 1,
    }),
    fetch: async (into: string, _signal: AbortSignal): Promise<void> =>
      writeFile(into, await fixture('tone.flac')),
  }
  const generator: Generator = {
    begin: (request, signal) => fake.begin(`t${fake.requests.push(request)}`, signal),
    look: async (ids) =>
      new Map(
        fake.isDown ? [] : ids.map((id) => [id, fake.looks.get(id) ?? ({ state: 'queued' } satisfies Look)]),
      ),
    fetch: (_file, into, signal) => fake.fetch(into, signal),
    load: async () => ({ queued: 1, meanJobMs: MEAN_MS }),
  }
  return { fake, generator }
}

/** Storage with such a generator and one charged song. */
async function startDrafts(options: Options = {}) {
  const { fake, generator } = fakeGenerator()
  const storage = await startStorage({ ...options, generator })
  const api = storage.api(draftsApi)
  const { song } = storage.songs
  const make = async (
    count = 1,
    body: Partial<Parameters<typeof api.make>[0]['body']> = {},
    songId: string = song.id,
  ): Promise<Draft[]> =>
    (await api.make({ params: { songId }, body: { callId: newId(), count, ...body } })).items
  const list = async (): Promise<Draft[]> => (await api.list({ params: { songId: song.id } })).items
  /** Runs the job until the drafts of the song, oldest first, are in these states. */
  const until = (...states: Draft['state'][]): Promise<Draft[]> =>
    eventually(async () => {
      storage.clock.pass(1_500)
      await storage.runJob('make-drafts')
      const drafts = (await list()).toReversed()
      expect(drafts.map(({ state }) => state)).toEqual(states)
      return drafts
    })
  const ready = async (n: number): Promise<Draft[]> => {
    await make(n)
    for (let i = 1; i <= n; i++) fake.looks.set(`t${i}`, DONE)
    return until(...Array.from({ length: n }, () => 'ready' as const))
  }
  return {
    ...storage,
    fake,
    api,
    song,
    make,
    list,
    until,
    ready,
    [Symbol.asyncDispose]: storage[Symbol.asyncDispose],
  }
}

const codeOf = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => 'ok',
    (error: unknown) => (error as AppError).code,
  )

async function brokenRules(storage: Pick<Storage, 'admin' | 'clock'>): Promise<string[]> {
  const broken: string[] = []
  for (const { name, sql } of storageInvariants)
    if ((await storage.admin.query(sql, timeIn(sql, storage.clock.now()))).rowCount > 0) broken.push(name)
  return broken
}

test('a draft waits, is made, and is ready as a finished upload, whose version says that AI made it', async () => {
  await using drafts = await startDrafts()
  const [asked] = await drafts.make()
  const begins = { n: 1, state: 'waiting', revision: drafts.song.revision, uploadId: null, readyAt: null }
  expect(asked).toMatchObject({ ...begins, songId: drafts.song.id, error: null })
  await drafts.until('waiting')
  await eventually(() => expect(drafts.fake.requests).toMatchObject([{ lyrics: 'la', again: null }]))
  await eventually(async () => {
    const [{ expectedAt } = { expectedAt: null }] = await drafts.until('waiting')
    expect(expectedAt).not.toBeNull()
  })
  drafts.fake.looks.set('t1', { state: 'making' })
  await drafts.until('making')
  drafts.fake.looks.set('t1', DONE)
  const [draft] = await drafts.until('ready')
  expect(draft).toMatchObject({ uploadId: draft?.id, seed: SEED, with: 'ACE-Step 1.5', expectedAt: null })
  expect(Math.abs((draft?.durationMs ?? 0) - 1600)).toBeLessThan(100)
  const audio = await drafts.inject({ url: `/drafts/${draft?.id}/audio`, headers: { range: 'bytes=0-3' } })
  expect([audio.statusCode, audio.body, audio.headers['content-type']]).toEqual([206, 'fLaC', 'audio/flac'])
  const head = await drafts.inject({
    method: 'HEAD',
    url: `/uploads/${draft?.uploadId}`,
    headers: { 'tus-resumable': '1.0.0' },
  })
  expect(head.headers['upload-offset']).toBe(head.headers['upload-length'])

  const place = async (made: unknown) => {
    const payload = { version1: draft?.uploadId, version2: draft?.uploadId, made }
    const url = `/songs/${drafts.song.id}/placements/from-uploads`
    return (await drafts.inject({ method: 'POST', url, payload })).json<Placed>()
  }
  const { objects } = await place({ 2: { how: 'assisted' } })
  expect(objects.map(({ made }) => made)).toEqual([
    { how: 'ai', with: 'ACE-Step 1.5' },
    { how: 'assisted', with: null },
  ])
  expect((await place({ 1: null })).objects[0]?.made).toBeNull()
  expect((await drafts.emitted()).filter(({ type }) => type === DraftChanged.type).length).toBeGreaterThan(3)
  expect(await brokenRules(drafts)).toEqual([])
  expect(await drafts.staged()).toEqual([])
})

test('no more tasks at once than may, in the order of asking, over all processes', async () => {
  await using drafts = await startDrafts()
  const other = drafts.secondProcess()
  await drafts.make(4)
  await Promise.all([drafts.runJob('make-drafts'), runJobOf(other, 'make-drafts')])
  await drafts.until('waiting', 'waiting', 'waiting', 'waiting')
  await runJobOf(other, 'make-drafts')
  await eventually(() => expect(drafts.fake.requests).toHaveLength(2))
  const [first, , third] = (await drafts.list()).toReversed()
  // one of the two tasks is made, and not in the queue of the generator
  expect((third?.expectedAt ?? 0) - (third?.createdAt ?? 0)).toBeGreaterThanOrEqual(3 * MEAN_MS)
  // a removed one is a task until it ends
  await drafts.api.remove({ params: { id: first?.id ?? '' } })
  await drafts.until('waiting', 'waiting', 'waiting')
  expect(drafts.fake.requests).toHaveLength(2)
  drafts.fake.looks.set('t1', { state: 'failed', error: 'no' })
  await eventually(async () => {
    await drafts.until('waiting', 'waiting', 'waiting')
    expect(drafts.fake.requests).toHaveLength(3)
  })
  await other.close?.()
})

test('a busy generator lets drafts wait, one that refuses or breaks ends them; nothing is sent again', async () => {
  await using drafts = await startDrafts()
  const { fake } = drafts
  fake.begin = async () => ({ state: 'busy', error: 'Its queue is full.' })
  await drafts.make(3)
  await eventually(async () =>
    expect(await drafts.until('waiting', 'waiting', 'waiting')).toMatchObject([
      { error: 'Its queue is full.' },
      {},
      {},
    ]),
  )
  fake.requests = []
  fake.begin = async (id) =>
    id === 't1' ? { state: 'lost', error: 'broke' } : { state: 'failed', error: 'refused' }
  drafts.clock.pass(10_000)
  expect(await drafts.until('lost', 'failed', 'failed')).toMatchObject([
    { error: 'broke' },
    { error: 'refused' },
    {},
  ])
  expect(fake.requests).toHaveLength(3)
})

test('what a generator says of a failure is for the operator, and in no log', async () => {
  const lines: string[] = []
  const output = { write: (line: string) => void lines.push(line) }
  await using drafts = await startDrafts({ logger: createLogger({ level: 'trace', pretty: false }, output) })
  const error = 'no such words: planted'
  drafts.fake.begin = async () => ({ state: 'failed', error })
  await drafts.make()
  expect(await drafts.until('failed')).toMatchObject([{ error }])
  expect(lines.join()).toContain('a draft ended without a file')
  expect(lines.join()).not.toContain('planted')
})

test.for<[ended: string, look: Look[]]>([
  ['twice in a row not known', [{ state: 'unclear' }, { state: 'unclear' }]],
  ['failed', [{ state: 'failed', error: 'out of memory' }]],
])('a task that is %s', async ([ended, looks]) => {
  await using drafts = await startDrafts()
  await drafts.make()
  drafts.fake.looks.set('t1', { state: 'making' })
  await drafts.until('making')
  const runs = async (look: Look): Promise<string | undefined> => {
    drafts.fake.looks.set('t1', look)
    drafts.clock.pass(1_500)
    await drafts.runJob('make-drafts')
    return (await drafts.list())[0]?.state
  }
  if (ended !== 'failed') {
    expect([await runs({ state: 'unclear' }), await runs({ state: 'making' })]).toEqual(['making', 'making'])
  }
  const states = []
  for (const look of looks) states.push(await runs(look))
  expect(states).toEqual(ended === 'failed' ? ['failed'] : ['making', 'lost'])
})

test('while the generator does not answer its tasks go on, for an hour', async () => {
  await using drafts = await startDrafts()
  await drafts.make()
  drafts.fake.looks.set('t1', { state: 'making' })
  await drafts.until('making')
  drafts.fake.isDown = true
  drafts.clock.pass(HOUR_MS / 2)
  await drafts.until('making')
  drafts.clock.pass(HOUR_MS / 2)
  await drafts.until('lost')
})

test('a process that is killed while it sends loses the draft; one that is killed while it fetches loses nothing', async () => {
  await using drafts = await startDrafts()
  const { fake } = drafts
  const killed = drafts.secondProcess()
  const begin = fake.begin
  fake.begin = never
  await drafts.make(2)
  await runJobOf(killed, 'make-drafts')
  expect(fake.requests).toHaveLength(2)
  drafts.clock.pass(LEASE_MS)
  await drafts.until('lost', 'lost')
  expect(fake.requests).toHaveLength(2)

  fake.begin = begin
  fake.looks.set('t3', DONE)
  const fetch = fake.fetch
  fake.fetch = never
  await drafts.make()
  await eventually(async () => {
    drafts.clock.pass(1_500)
    await runJobOf(killed, 'make-drafts')
    expect((await drafts.list())[0]?.state).toBe('making')
  })
  fake.fetch = fetch
  await drafts.runJob('make-drafts')
  expect((await drafts.list())[0]?.state).toBe('making')
  drafts.clock.pass(LEASE_MS)
  await drafts.until('lost', 'lost', 'ready')
  expect(fake.requests).toHaveLength(3)
  expect(await storeCheck(drafts.db, drafts.blobs, drafts.clock)).toEqual({ count: 1, findings: [] })
})

test('a generator that refuses connections when the file is fetched is asked again, until it has forgotten the task', async () => {
  await using drafts = await startDrafts()
  const { fake } = drafts
  const { fetch } = fake
  let refused = 0
  fake.fetch = async () => {
    refused++
    throw new NotConnected('connect ECONNREFUSED')
  }
  for (const id of ['t1', 't2']) fake.looks.set(id, DONE)
  await drafts.make(2)
  await eventually(async () => {
    await drafts.until('making', 'making')
    expect(refused).toBeGreaterThan(4)
  })
  fake.looks.set('t1', { state: 'unclear' })
  await drafts.until('lost', 'making')
  fake.fetch = fetch
  await drafts.until('lost', 'ready')
  expect(fake.requests).toHaveLength(2)
})

test('a file that cannot be kept is fetched again for two hours, then the draft fails', async () => {
  let fetched = 0
  await using drafts = await startDrafts({
    blobs: (real) => ({ ...real, putFile: () => Promise.reject(new Error('the store is full')) }),
  })
  const { fetch } = drafts.fake
  drafts.fake.fetch = (into, signal) => {
    fetched++
    return fetch(into, signal)
  }
  await drafts.make()
  drafts.fake.looks.set('t1', DONE)
  await drafts.until('making')
  await eventually(async () => {
    drafts.clock.pass(LEASE_MS)
    await drafts.runJob('make-drafts')
    expect(fetched).toBeGreaterThan(1)
  })
  drafts.clock.pass(2 * HOUR_MS)
  await drafts.until('failed')
})

test('a process that stops waits for the answer to what it is sending', async () => {
  await using drafts = await startDrafts()
  const stopping = drafts.secondProcess()
  const answer = Promise.withResolvers<Begun>()
  drafts.fake.begin = () => answer.promise
  await drafts.make()
  await runJobOf(stopping, 'make-drafts')
  const closed = stopping.close?.()
  answer.resolve({ state: 'begun', taskId: 't1', queuePosition: null })
  await closed
  drafts.fake.looks.set('t1', DONE)
  await drafts.until('ready')
})

test('one slow file holds up no other; a file that is no audio or cannot be had fails', async () => {
  await using drafts = await startDrafts()
  const { fake } = drafts
  const files: (typeof fake.fetch)[] = [
    never,
    (into) => writeFile(into, 'no audio'),
    () => Promise.reject(new Error('The file is too large.')),
  ]
  const { fetch } = fake
  fake.fetch = (into, signal) => (files.shift() ?? fetch)(into, signal)
  for (const id of ['t1', 't2', 't3', 't4']) fake.looks.set(id, DONE)
  await drafts.make(4)
  const ended = await eventually(async () => {
    drafts.clock.pass(1_500)
    await drafts.runJob('make-drafts')
    const states = (await drafts.list()).map(({ state }) => state).toSorted()
    expect(states).toEqual(['failed', 'failed', 'making', 'ready'])
    return drafts.list()
  })
  expect(ended.flatMap(({ error }) => error ?? []).toSorted()).toEqual([
    'The file is too large.',
    'This is not an audio file. Export it as MP3, FLAC, WAV of 16 or 24 bits, or M4A with AAC.',
  ])
})

test('the list says since when a generator is in use: since the first start', async () => {
  await using drafts = await startDrafts()
  const songId = drafts.song.id
  const since = async () => (await drafts.api.list({ params: { songId } })).generatorSince
  const first = await since()
  expect(first).toBeGreaterThan(0)
  drafts.clock.pass(60_000)
  await drafts.runJob('make-drafts')
  expect(await since()).toBe(first)
})

test('a song has so many drafts and no more, whatever comes at once; numbers are never used again', async () => {
  await using drafts = await startDrafts()
  const codes = await Promise.all(Array.from({ length: 5 }, () => codeOf(drafts.make(4))))
  expect(codes.toSorted()).toEqual(['ok', 'ok', 'ok', 'too_many_drafts', 'too_many_drafts'])
  const [newest] = await drafts.list()
  const remove = () => drafts.api.remove({ params: { id: newest?.id ?? '' } })
  await remove()
  await remove()
  const [added] = await drafts.make()
  expect([newest?.n, added?.n]).toEqual([12, 13])
  expect(await codeOf(drafts.make())).toBe('too_many_drafts')
  expect(await codeOf(drafts.api.remove({ params: { id: newId() } }))).toBe('draft_not_found')
  const { items, nextCursor } = await drafts.api.list({
    params: { songId: drafts.song.id },
    query: { limit: 1 },
  })
  const next = await drafts.api.list({
    params: { songId: drafts.song.id },
    query: { cursor: nextCursor ?? '' },
  })
  const beyond = Buffer.from(JSON.stringify([Number.MAX_SAFE_INTEGER])).toString('base64url')
  const all = await drafts.api.list({ params: { songId: drafts.song.id }, query: { cursor: beyond } })
  expect([items, next.items, all.items].map((page) => page.length)).toEqual([1, 11, 12])
})

test('a call that is repeated asks for no second draft', async () => {
  await using drafts = await startDrafts()
  const callId = newId()
  const [first, second] = [await drafts.make(2, { callId }), await drafts.make(2, { callId })]
  expect(second).toEqual(first)
  expect(await drafts.list()).toHaveLength(2)
})

test('a part of a ready draft or of a take is made again from its audio', async () => {
  await using drafts = await startDrafts()
  const [waiting] = await drafts.make(1)
  const part = (draftId = waiting?.id ?? '', toMs = 1000) => ({ again: { draftId, fromMs: 200, toMs } })
  expect(await codeOf(drafts.make(1, part()))).toBe('draft_not_ready')
  drafts.fake.looks.set('t1', DONE)
  await drafts.until('ready')
  expect(await codeOf(drafts.make(1, part(waiting?.id, 100_000)))).toBe('invalid_request')
  expect(await codeOf(drafts.make(1, part(newId())))).toBe('draft_not_found')
  const take = { version: 2, take: 1, fromMs: 0, toMs: 500 }
  expect(await codeOf(drafts.make(1, { again: take }))).toBe('song_not_ready')
  drafts.songs.song = { ...drafts.song, status: 'ready' }
  expect(await codeOf(drafts.make(1, { again: take }))).toBe('song_not_found')
  drafts.songs.takes = [{ version: 2, take: 1, path: 'songs/gone', durationMs: 500 }]
  await drafts.make(1, part())
  await drafts.make(1, { again: take })
  const [, made, gone] = await drafts.until('ready', 'waiting', 'failed')
  expect([made?.error, gone?.error]).toEqual([null, 'The audio that a part of is made again is gone.'])
  expect(drafts.fake.requests[1]?.again).toMatchObject({ fromMs: 200, toMs: 1000 })
})

test('drafts are asked for of charged songs and gifts, also delivered ones', async () => {
  await using drafts = await startDrafts()
  const codes: string[] = []
  for (const [status, charge] of [
    ['declined', 'charged'],
    ['pending', 'deciding'],
    ['pending', 'declined'],
    ['pending', 'refunded'],
    ['pending', 'gift'],
    ['ready', 'charged'],
  ] as const) {
    drafts.songs.song = { ...drafts.song, status, charge }
    codes.push(await codeOf(drafts.make()))
  }
  const refused = ['song_closed', 'charge_pending', 'song_not_charged', 'song_not_charged']
  expect(codes).toEqual([...refused, 'ok', 'ok'])
})

test('drafts go with a closed song and with an erased one, and a song that is refunded keeps them', async () => {
  await using drafts = await startDrafts()
  await drafts.ready(1)
  await drafts.make(1)
  await eventually(async () => {
    await drafts.runJob('make-drafts')
    expect(drafts.fake.requests).toHaveLength(2)
  })
  const { id: songId, uid } = drafts.song
  await drafts.deliver(SongClosed, { songId, uid, reason: 'declined', stays: true })
  expect(await drafts.list()).toHaveLength(2)
  await drafts.deliver(SongClosed, { songId, uid, reason: 'cancelled' })
  expect(await drafts.list()).toEqual([])
  await drafts.deliver(SongErased, { songId, uid })
  drafts.clock.pass(3 * HOUR_MS)
  await drafts.runJob('delete-objects')
  await drafts.runJob('remove-drafts')
  expect(await drafts.objects()).toEqual([])
  expect((await drafts.admin.query('select from draft')).rowCount).toBe(0)
  expect((await drafts.admin.query('select from draft_song')).rowCount).toBe(0)
})

test.for([1, 2])('a song that is closed after answer %i about it gets no draft', async (closedAfter) => {
  await using drafts = await startDrafts()
  const { id: songId, uid } = drafts.song
  let answers = 0
  drafts.songs.answer = async () => {
    if (++answers <= closedAfter) return
    drafts.songs.song = { ...drafts.song, status: 'cancelled' }
  }
  if (closedAfter === 2)
    drafts.songs.answer = async () => {
      if (++answers === 2) await drafts.deliver(SongClosed, { songId, uid, reason: 'cancelled' })
    }
  expect(await codeOf(drafts.make())).toBe('song_closed')
  expect((await drafts.admin.query('select from draft_song')).rowCount).toBe(0)
})

test('a draft that nobody used goes after a week, one that a version was made from stays', async () => {
  await using drafts = await startDrafts()
  const [used, unused] = await drafts.ready(2)
  const payload = { version1: used?.uploadId, version2: used?.uploadId }
  const url = `/songs/${drafts.song.id}/placements/from-uploads`
  const { objects } = (await drafts.inject({ method: 'POST', url, payload })).json<Placed>()
  const takes = objects.map(
    ({ id: objectId }, i) => ({ version: i === 0 ? 1 : 2, take: 1, objectId }) as const,
  )
  await drafts.deliver(TakesChanged, { songId: drafts.song.id, uid: drafts.song.uid, takes })
  drafts.clock.pass(6 * DAY_MS)
  await drafts.runJob('remove-drafts')
  expect(await drafts.list()).toHaveLength(2)
  drafts.clock.pass(DAY_MS)
  await drafts.runJob('remove-drafts')
  expect((await drafts.list()).map(({ id }) => id)).toEqual([used?.id])
  expect(await codeOf(drafts.api.get({ params: { id: unused?.id ?? '' } }))).toBe('draft_not_found')
  expect((await drafts.emitted()).at(-1)?.data).toMatchObject({ draftId: unused?.id })
})
