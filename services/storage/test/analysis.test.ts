import { type Placed, type Problem, VersionsAnalyzed, type Waveform } from '@prelude/contracts'
import { newId } from '@prelude/platform'
import { eventually } from '@prelude/platform/eventually'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { ANALYSIS_NICENESS } from '../src/analysis/analyze-file.ts'
import { createAudioProcess } from '../src/audio-process/audio-process.ts'
import type { FormatName } from '../src/domain/audio/bytes.ts'
import { childrenOf } from './children-of.ts'
import { FIXTURES, fixture } from './fixtures.ts'
import { opusBomb } from './hostile/corpus.ts'
import { SAMPLES } from './samples.ts'
import { formOf, startStorage, type Storage } from './system.ts'

const folder = fileURLToPath(new URL('fixtures', import.meta.url))
const audio = createAudioProcess({ folder, niceness: ANALYSIS_NICENESS })
afterAll(() => audio.close())
const never = new AbortController().signal
const fileOf = (name: string): string => join(folder, name)

/** Between a replacement and its analysis. */
const AFTER_REPLACEMENT_MS = 5_000
/** No retry is due later. */
const LONGEST_DELAY_MS = 5 * 60_000

/** What ffmpeg's ebur128 filter measures for the uncompressed tone. */
const TONE_LUFS = -27.6
const LOSSY = new Set<string>(['cbr.mp3', 'vbr.mp3', 'tagged.mp3', 'vorbis.ogg', 'tone.opus'])

test('every format has a waveform of its tone and a loudness; AAC, which nothing here decodes, has neither', async () => {
  for (const [name, format] of FIXTURES) {
    const take = { file: fileOf(name), format, durationMs: 1600, channels: 1 }
    const { peaks, loudnessLufs } = await audio.analyze(take, never)
    const middle = peaks.slice(30, 270)
    const { length } = peaks
    const isTone = Math.min(...middle) > 0.04 && Math.max(...middle) < 0.08
    const offBy = loudnessLufs === null ? null : Math.abs(loudnessLufs - TONE_LUFS)
    if (format === 'm4a') expect([peaks, loudnessLufs]).toEqual([[], null])
    else {
      expect({ name, length, isTone }).toEqual({ name, length: 300, isTone: true })
      expect(offBy).toBeLessThan(LOSSY.has(name) ? 0.9 : 0.1)
    }
  }
})

const UNUSUAL = {
  'OGG, two Opus recordings': 3_200,
  'OGG, Opus with a skeleton': 1_600,
  'OGG, FLAC': 1_200,
  'OGG behind an ID3 tag': 1_600,
  'WAV behind an ID3 tag': 1_600,
  'WAV behind an odd chunk': 1_600,
  'WAV of 64 bits, RF64': 1_600,
  'WAV of unknown length, 0': 1_600,
  'WAV, half the bytes a second': 1_600,
  'MP3 behind an APE tag': 1_600,
}
test('the waveform goes to the end also of joined recordings, behind tags, and where a header lies', async () => {
  const own = await mkdtemp(join(tmpdir(), 'prelude-unusual-'))
  const reader = createAudioProcess({ folder: own })
  try {
    for (const [what, durationMs] of Object.entries(UNUSUAL)) {
      const sample = SAMPLES.find((one) => one.what === what)
      const file = join(own, 'file')
      await writeFile(file, sample?.make() ?? '')
      const { peaks } = await reader.analyze(
        { file, format: sample?.verdict as FormatName, durationMs, channels: 1 },
        never,
      )
      expect([what, peaks.length, Math.min(...peaks.slice(30, 270)) > 0.04]).toEqual([what, 300, true])
    }
  } finally {
    reader.close()
    await rm(own, { recursive: true })
  }
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
  await audio.analyze({ file: fileOf('cbr.mp3'), format: 'mp3', durationMs: 1600, channels: 1 }, never)
  // it waits for the next file
  const niceness = () => childrenOf(process.pid).map((pid) => getPriority(pid))
  await eventually(() => expect(niceness()).toContain(ANALYSIS_NICENESS))
  expect(getPriority()).toBeLessThan(ANALYSIS_NICENESS)
})

test('a fulfilled song is analysed once, and one event says so', async () => {
  await using storage = await startStorage()
  const { songId, paths } = await storage.fulfil()
  const waveform = () => storage.waveform(paths[0])
  expect((await waveform()).json<Problem>().code).toBe('waveform_not_ready')
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

/** When the only analysis is due. */
async function dueAt({ admin }: Storage): Promise<number | undefined> {
  const { rows } = await admin.query<{ at: Date }>('select due_at as at from analysis')
  return rows[0]?.at.getTime()
}

async function placeOne(storage: Storage, songId: string, version: number): Promise<string> {
  const form = formOf({ file: [await fixture('tone.flac'), 'new.flac'] })
  const reply = await storage.post(`/songs/${songId}/versions/${version}/placements`, form)
  return reply.json<Placed>().objects[0]?.path ?? ''
}

test('a replaced version is analysed again', async () => {
  await using storage = await startStorage()
  const { songId, paths } = await storage.fulfil()
  await storage.runJob('analyze-versions')
  const path = await placeOne(storage, songId, 2)
  const before = await storage.clock.databaseNow(storage.db)
  await storage.name(songId, paths[0] ?? '', path)
  expect((await storage.waveform(path)).json<Problem>().code).toBe('waveform_not_ready')
  // the operator may replace the other version next
  expect(await dueAt(storage)).toBeGreaterThanOrEqual(before + AFTER_REPLACEMENT_MS)
  storage.clock.pass(LONGEST_DELAY_MS)
  await storage.runJob('analyze-versions')
  expect((await storage.waveform(path)).json<Waveform>().durationMs).toBe(1600)
  expect(await storage.emitted()).toHaveLength(2)
})

test('each take has a waveform; the event names the newest of both versions', async () => {
  await using storage = await startStorage()
  const { songId, paths } = await storage.fulfil()
  await storage.runJob('analyze-versions')
  const [first = '', second = ''] = paths
  const path = await placeOne(storage, songId, 1)
  await storage.name(songId, first, path, second)
  await storage.runJob('analyze-versions')
  const durations = await Promise.all(
    [path, second].map(async (one) => (await storage.waveform(one)).json<Waveform>()),
  )
  expect((await storage.waveform(first)).statusCode).toBe(200)
  const [, event] = await storage.emitted()
  expect(event?.data['versions']).toEqual(
    durations.map(({ durationMs, loudnessLufs }) => ({ durationMs, loudnessLufs })),
  )
})

/** `replace` runs before each object is read. */
const startReplacing = (meanwhile: { readonly replace: () => Promise<void> }) =>
  startStorage({
    blobs: (real) => ({
      ...real,
      get: async (path, range) => {
        await meanwhile.replace()
        return real.get(path, range)
      },
    }),
  })

test('a version that is replaced while the song is analysed is analysed in its own time', async () => {
  const meanwhile = { replace: async () => {} }
  await using storage = await startReplacing(meanwhile)
  const { songId, paths } = await storage.fulfil()
  let delayMs: number | undefined
  meanwhile.replace = async () => {
    meanwhile.replace = async () => {}
    const path = await placeOne(storage, songId, 1)
    const before = await storage.clock.databaseNow(storage.db)
    await storage.name(songId, path, paths[1] ?? '')
    delayMs = ((await dueAt(storage)) ?? 0) - before
    // not within this run, however long it takes
    await storage.admin.query(`update analysis set due_at = due_at + interval '1 hour'`)
  }
  await storage.runJob('analyze-versions')
  expect(await storage.emitted()).toEqual([])
  expect((await storage.admin.query('select attempts from analysis')).rows).toEqual([{ attempts: 0 }])
  expect(delayMs).toBeGreaterThanOrEqual(AFTER_REPLACEMENT_MS)
})

test('a version that is replaced while the other one is analysed is analysed too', async () => {
  const meanwhile = { replace: async () => {} }
  await using storage = await startReplacing(meanwhile)
  const { songId, paths } = await storage.fulfil()
  const analyse = async (): Promise<void> => {
    storage.clock.pass(LONGEST_DELAY_MS)
    await storage.runJob('analyze-versions')
  }
  await analyse()
  const second = await placeOne(storage, songId, 2)
  await storage.name(songId, paths[0] ?? '', second)
  meanwhile.replace = async () => {
    meanwhile.replace = async () => {}
    await storage.name(songId, await placeOne(storage, songId, 1), second)
  }
  await analyse()
  await analyse()
  const left = "select from audio where state = 'named' and peaks is null"
  expect((await storage.admin.query(left)).rowCount).toBe(0)
})

test('while the store is down the analysis waits', async () => {
  const store = { down: true }
  await using storage = await startStorage({
    blobs: (real) => ({
      ...real,
      get: (path, range) => (store.down ? Promise.reject(new Error('down')) : real.get(path, range)),
    }),
  })
  await storage.fulfil()
  await storage.runJob('analyze-versions')
  expect(await storage.emitted()).toEqual([])
  store.down = false
  storage.clock.pass(LONGEST_DELAY_MS)
  await storage.runJob('analyze-versions')
  expect(await storage.emitted()).toHaveLength(1)
})

test('an object that is missing is given up after three attempts', async () => {
  await using storage = await startStorage()
  const { paths } = await storage.fulfil()
  await storage.blobs.delete(paths[0] ?? '')
  for (const emitted of [0, 0, 1]) {
    storage.clock.pass(LONGEST_DELAY_MS)
    await storage.runJob('analyze-versions')
    expect(await storage.emitted()).toHaveLength(emitted)
  }
  expect([await peaksOf(storage, paths[0]), (await peaksOf(storage, paths[1])).length]).toEqual([[], 300])
})

async function fulfilWith(storage: Storage, version1: [Buffer<ArrayBuffer>, string]): Promise<string[]> {
  const songId = newId()
  const paths = await storage.place(
    songId,
    formOf({ version1, version2: [await fixture('cbr.mp3'), 'two.mp3'] }),
  )
  await storage.name(songId, ...paths)
  return paths
}

/** Version 1 takes the process that decodes it beyond its memory. */
const fulfilWithBomb = (storage: Storage): Promise<string[]> =>
  fulfilWith(storage, [opusBomb(20) as Buffer<ArrayBuffer>, 'bomb.opus'])

const peaksOf = async (storage: Storage, path: string | undefined) =>
  (await storage.waveform(path)).json<Waveform>().peaks

const attemptsOf = async (storage: Storage): Promise<number[]> => {
  const { rows } = await storage.admin.query<{ attempts: number }>(
    'select decode_attempts as attempts from audio order by version',
  )
  return rows.map(({ attempts }) => attempts)
}

test('a file that cannot be decoded is given up after three attempts, and the other version keeps its waveform', async () => {
  await using storage = await startStorage()
  const [first, second] = await fulfilWithBomb(storage)
  for (const attempt of [1, 2, 3]) {
    expect(await storage.emitted()).toEqual([])
    await storage.runJob('analyze-versions')
    expect((await attemptsOf(storage))[0]).toBe(attempt)
    storage.clock.pass(LONGEST_DELAY_MS)
  }
  expect(await storage.emitted()).toMatchObject([{ data: { versions: [{ loudnessLufs: null }, {}] } }])
  expect(await peaksOf(storage, first)).toEqual([])
  expect(await peaksOf(storage, second)).toHaveLength(300)
  await storage.runJob('analyze-versions')
  expect(await attemptsOf(storage)).toEqual([3, 0])
})

test('an attempt is counted before it begins, and a shutdown does not count', async () => {
  const stop = new AbortController()
  let counted: number[] = []
  await using storage = await startStorage({
    afterQuery: async (sql) => {
      if (!sql.includes('decode_attempts + 1')) return
      counted = await attemptsOf(storage)
      stop.abort(new Error('stop'))
    },
  })
  const [first] = await fulfilWith(storage, [await fixture('vbr.mp3'), 'one.mp3'])
  await storage.runJob('analyze-versions', stop.signal)
  expect(counted).toEqual([1, 0])
  expect(await attemptsOf(storage)).toEqual([0, 0])

  // what three processes leave that were killed while they decoded it
  await storage.admin.query('update audio set decode_attempts = 3 where version = 1')
  await storage.runJob('analyze-versions')
  expect(await peaksOf(storage, first)).toEqual([])
  expect(await storage.emitted()).toHaveLength(1)
})
