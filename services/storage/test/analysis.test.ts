import {
  type Placed,
  type Problem,
  SongFulfilled,
  storageApi,
  VersionsAnalyzed,
  type Waveform,
} from '@prelude/contracts'
import { newId } from '@prelude/platform'
import { getPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test, vi } from 'vitest'
import { ANALYSIS_NICENESS } from '../src/analysis/analyze-file.ts'
import { createAudioProcess } from '../src/audio-process/audio-process.ts'
import { childrenOf } from './children-of.ts'
import { FIXTURES, fixture, silentWav } from './fixtures.ts'
import { opusBomb } from './hostile/corpus.ts'
import { bothVersions, formOf, startStorage, type Storage } from './system.ts'

const audio = createAudioProcess({ niceness: ANALYSIS_NICENESS })
afterAll(() => audio.close())
const never = new AbortController().signal
const fileOf = (name: string): string => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url))

/** What ffmpeg's ebur128 filter measures for the uncompressed tone. */
const TONE_LUFS = -27.6
const LOSSY = new Set<string>(['cbr.mp3', 'vbr.mp3', 'tagged.mp3', 'vorbis.ogg', 'tone.opus'])

test.each(FIXTURES.filter(([, format]) => format !== 'm4a'))(
  '%s has a waveform of its tone and a loudness',
  async (name, format) => {
    const { peaks, loudnessLufs } = await audio.analyze(
      { file: fileOf(name), format, durationMs: 1600, channels: 1 },
      never,
    )
    expect(peaks).toHaveLength(300)
    const middle = peaks.slice(30, 270)
    expect(Math.min(...middle)).toBeGreaterThan(0.04)
    expect(Math.max(...middle)).toBeLessThan(0.08)
    expect(Math.abs((loudnessLufs ?? 0) - TONE_LUFS)).toBeLessThan(LOSSY.has(name) ? 0.9 : 0.1)
  },
)

test('AAC, which nothing here decodes, has neither', async () => {
  const result = await audio.analyze(
    { file: fileOf('tone.m4a'), format: 'm4a', durationMs: 1600, channels: 1 },
    never,
  )
  expect(result).toEqual({ peaks: [], loudnessLufs: null })
})

test('an analysis that is aborted ends at once', async () => {
  const abort = new AbortController()
  const running = audio.analyze(
    { file: fileOf('cbr.mp3'), format: 'mp3', durationMs: 1600, channels: 1 },
    abort.signal,
  )
  abort.abort(new Error('stop'))
  await expect(running).rejects.toThrow('stop')
})

test('the process that decodes leaves most of the processor to others', async ({ skip }) => {
  skip(process.platform !== 'linux', 'child processes are read from /proc, which only Linux has')
  const abort = new AbortController()
  const running = audio
    .analyze({ file: '/dev/zero', format: 'wav', durationMs: 1600, channels: 1 }, abort.signal)
    .catch(() => {})
  try {
    const niceness = () => childrenOf(process.pid).map((pid) => getPriority(pid))
    await vi.waitFor(() => expect(niceness()).toContain(ANALYSIS_NICENESS), { timeout: 10_000 })
    expect(getPriority()).toBeLessThan(ANALYSIS_NICENESS)
  } finally {
    abort.abort()
    await running
  }
})

test('a fulfilled song is analysed once, and one event says so', async () => {
  await using storage = await startStorage()
  const { songId } = await storage.fulfil()
  const waveform = () => storage.inject({ url: `/songs/${songId}/versions/1/waveform` })
  expect((await waveform()).json<Problem>().code).toBe('waveform_not_ready')
  await storage.deliver(SongFulfilled, { songId, uid: 'u1', gift: false })
  await storage.runJob('analyze-versions')
  await storage.runJob('analyze-versions')
  const { durationMs, peaks, loudnessLufs } = (await waveform()).json<Waveform>()
  expect(durationMs).toBeGreaterThan(1500)
  expect(peaks).toHaveLength(300)
  expect(loudnessLufs).toBeLessThan(-20)
  const emitted = await storage.emitted()
  expect(emitted.map(({ type }) => type)).toEqual([VersionsAnalyzed.type])
  expect(emitted[0]).toMatchObject({
    key: 'u1',
    data: { songId, uid: 'u1', versions: [{ durationMs, loudnessLufs }, {}] },
  })
  expect(await storage.staged()).toEqual([])
})

test('the event may come before the call that keeps the objects: songs is asked', async () => {
  await using storage = await startStorage()
  const songId = newId()
  const { paths } = (await storage.postBoth(songId, await bothVersions())).json<Placed>()
  for (const path of paths) storage.named.add(path)
  await storage.deliver(SongFulfilled, { songId, uid: 'u1', gift: false })
  await storage.runJob('analyze-versions')
  expect(await storage.emitted()).toHaveLength(1)
})

test('a replaced version is analysed again', async () => {
  await using storage = await startStorage()
  const { songId } = await storage.fulfil()
  await storage.deliver(SongFulfilled, { songId, uid: 'u1', gift: false })
  await storage.runJob('analyze-versions')
  const form = formOf({ file: [await fixture('tone.flac'), 'new.flac'] })
  const { claim, paths } = (await storage.post(`/songs/${songId}/versions/2/placements`, form)).json<Placed>()
  storage.named.add(paths[0] ?? '')
  await storage.api(storageApi).keep({ params: { claim } })
  const before = await storage.inject({ url: `/songs/${songId}/versions/2/waveform` })
  expect(before.json<Problem>().code).toBe('waveform_not_ready')
  // the operator may replace the other version next
  await storage.runJob('analyze-versions')
  expect(await storage.emitted()).toHaveLength(1)
  await storage.admin.query('update analysis set due_at = now()')
  await storage.runJob('analyze-versions')
  const after = await storage.inject({ url: `/songs/${songId}/versions/2/waveform` })
  expect(after.json<Waveform>().durationMs).toBe(1600)
  expect(await storage.emitted()).toHaveLength(2)
})

test('a version that is replaced while the song is analysed is analysed in its own time', async () => {
  const meanwhile = { replace: async () => {} }
  await using storage = await startStorage({
    blobs: (real) => ({
      ...real,
      get: async (path, range) => {
        await meanwhile.replace()
        return real.get(path, range)
      },
    }),
  })
  const { songId } = await storage.fulfil()
  await storage.deliver(SongFulfilled, { songId, uid: 'u1', gift: false })
  meanwhile.replace = async () => {
    meanwhile.replace = async () => {}
    const form = formOf({ file: [await fixture('tone.flac'), 'new.flac'] })
    const placed = await storage.post(`/songs/${songId}/versions/1/placements`, form)
    await storage.api(storageApi).keep({ params: { claim: placed.json<Placed>().claim } })
  }
  await storage.runJob('analyze-versions')
  expect(await storage.emitted()).toEqual([])
  const due = "select attempts, due_at > now() + interval '2 seconds' as later from analysis"
  expect((await storage.admin.query(due)).rows).toEqual([{ attempts: 0, later: true }])
})

test('while the store is down the analysis waits', async () => {
  const store = { down: true }
  await using storage = await startStorage({
    blobs: (real) => ({
      ...real,
      get: (path, range) => (store.down ? Promise.reject(new Error('down')) : real.get(path, range)),
    }),
  })
  const { songId } = await storage.fulfil()
  await storage.deliver(SongFulfilled, { songId, uid: 'u1', gift: false })
  await storage.runJob('analyze-versions')
  expect(await storage.emitted()).toEqual([])
  store.down = false
  await storage.admin.query('update analysis set due_at = now()')
  await storage.runJob('analyze-versions')
  expect(await storage.emitted()).toHaveLength(1)
})

/** Version 1 takes whoever decodes it beyond its memory. */
async function fulfilWithBomb(storage: Storage): Promise<string> {
  const songId = newId()
  const version1 = opusBomb(20) as Buffer<ArrayBuffer>
  const form = formOf({ version1: [version1, 'bomb.opus'], version2: [await fixture('cbr.mp3'), 'two.mp3'] })
  const { claim, paths } = (await storage.postBoth(songId, form)).json<Placed>()
  for (const path of paths) storage.named.add(path)
  await storage.api(storageApi).keep({ params: { claim } })
  await storage.deliver(SongFulfilled, { songId, uid: 'u1', gift: false })
  return songId
}

const peaksOf = async (storage: Storage, songId: string, version: number) =>
  (await storage.inject({ url: `/songs/${songId}/versions/${version}/waveform` })).json<Waveform>().peaks

const attemptsOf = async (storage: Storage): Promise<number[]> => {
  const { rows } = await storage.admin.query<{ attempts: number }>(
    'select decode_attempts as attempts from audio order by version',
  )
  return rows.map(({ attempts }) => attempts)
}

test(
  'a file that cannot be decoded is given up after three attempts, and the other version keeps its waveform',
  { timeout: 120_000 },
  async () => {
    await using storage = await startStorage()
    const songId = await fulfilWithBomb(storage)
    for (const attempt of [1, 2, 3]) {
      expect(await storage.emitted()).toEqual([])
      await storage.runJob('analyze-versions')
      expect((await attemptsOf(storage))[0]).toBe(attempt)
      await storage.admin.query('update analysis set due_at = now()')
    }
    expect(await storage.emitted()).toMatchObject([{ data: { versions: [{ loudnessLufs: null }, {}] } }])
    expect(await peaksOf(storage, songId, 1)).toEqual([])
    expect(await peaksOf(storage, songId, 2)).toHaveLength(300)
    await storage.runJob('analyze-versions')
    expect(await attemptsOf(storage)).toEqual([3, 0])
  },
)

test('an attempt is counted before it begins, and a shutdown does not count', async () => {
  await using storage = await startStorage()
  const songId = newId()
  const long = silentWav(100 * 1024 * 1024) as Buffer<ArrayBuffer>
  const form = formOf({ version1: [long, 'one.wav'], version2: [await fixture('cbr.mp3'), 'two.mp3'] })
  const { claim, paths } = (await storage.postBoth(songId, form)).json<Placed>()
  for (const path of paths) storage.named.add(path)
  await storage.api(storageApi).keep({ params: { claim } })
  await storage.deliver(SongFulfilled, { songId, uid: 'u1', gift: false })

  const stop = new AbortController()
  const job = storage.service.jobs?.find(({ name }) => name === 'analyze-versions')
  const running = job?.run(stop.signal)
  await expect.poll(() => attemptsOf(storage)).toEqual([1, 0])
  stop.abort(new Error('stop'))
  await running
  expect(await attemptsOf(storage)).toEqual([0, 0])

  // what three processes leave that were killed while they decoded it
  await storage.admin.query('update audio set decode_attempts = 3 where version = 1')
  await storage.admin.query('update analysis set due_at = now()')
  await storage.runJob('analyze-versions')
  expect(await peaksOf(storage, songId, 1)).toEqual([])
  expect(await storage.emitted()).toHaveLength(1)
})
