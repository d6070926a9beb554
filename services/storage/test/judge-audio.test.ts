import { AppError } from '@prelude/platform'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createAudioProcess } from '../src/audio-process/audio-process.ts'
import { FIXTURES, fixture, plainMp3, silentWav } from './fixtures.ts'
import { CORPUS } from './hostile/corpus.ts'
import { withPages } from './hostile/encode.ts'
import { audioPage, isRare, SAMPLES } from './samples.ts'

const audio = createAudioProcess({ folder: tmpdir() })
afterAll(() => audio.close())

async function judge(bytes: Buffer | string) {
  const folder = await mkdtemp(join(tmpdir(), 'prelude-judge-'))
  try {
    await writeFile(join(folder, 'file'), bytes)
    return await audio.judge(join(folder, 'file'))
  } finally {
    await rm(folder, { recursive: true })
  }
}

const refused = async (bytes: Buffer | string): Promise<string> => {
  const error = await judge(bytes).then(
    () => new Error('it was taken'),
    (reason: unknown) => reason as Error,
  )
  return error instanceof AppError ? error.code : error.message
}

test('every format is taken for what it is, with its true length', async () => {
  for (const [name, format, contentType] of FIXTURES) {
    const judged = await judge(await fixture(name))
    expect([name, judged.format]).toMatchObject([name, { name: format, contentType }])
    expect(Math.abs(judged.durationMs - 1600)).toBeLessThan(110)
    expect(judged.bitrate).toBeGreaterThan(8_000)
  }
})

test('what Chromium and Firefox play is taken, at the length of its sound; else a sentence names what it is', async () => {
  for (const { what, make, verdict } of SAMPLES) {
    const judged = await judge(make()).catch((error: AppError) => error)
    if (judged instanceof Error)
      expect([what, judged.code, judged.detail]).toEqual([
        what,
        'not_audio',
        expect.stringMatching(verdict instanceof RegExp ? verdict : 'taken'),
      ])
    else {
      expect([what, judged.format.name]).toEqual([what, verdict])
      const recordings = what.includes('two') ? 2 : 1
      expect(judged.durationMs / recordings).toBeGreaterThanOrEqual(1_200)
      expect(judged.durationMs / recordings).toBeLessThan(1_700)
    }
  }
})

test('a file that is taken, though Chromium or Firefox does not play it, has a warning', () => {
  const taken = SAMPLES.filter(({ verdict }) => !(verdict instanceof RegExp))
  const silent = taken.filter((sample) => !sample.plays.startsWith('CF') && !isRare(sample))
  expect(silent.map(({ what }) => what)).toEqual([])
})

test('the documented table of formats is that of the samples', async () => {
  await expect(audioPage()).toMatchFileSnapshot('../../../docs/audio.md')
})

test('a file that was cut is refused, also without its last byte alone', async () => {
  const cuts = FIXTURES.flatMap(([name]) => [0.3, 0.5, 0.75, 0.97, 1].map((part) => ({ name, part })))
    // the last bytes of the tagged one belong to a tag
    .filter(({ name, part }) => name !== 'tagged.mp3' || part < 1)
  const outcomes = await Array.fromAsync(cuts, async ({ name, part }) => {
    const bytes = await fixture(name)
    const length = Math.min(bytes.length - 1, Math.floor(bytes.length * part))
    return { name, part, outcome: await refused(bytes.subarray(0, length)) }
  })
  expect(outcomes.filter(({ outcome }) => outcome !== 'not_audio')).toEqual([])
})

const NO_SOUND: [string, Buffer | string][] = [
  ['nothing', ''],
  ['text', 'la la la '.repeat(2000)],
  ['HTML', `<!doctype html><html><body>${'<p>la</p>'.repeat(2000)}</body></html>`],
  ['a ZIP', Buffer.concat([Buffer.from('PK\u0003\u0004'), Buffer.alloc(20_000)])],
  ['zeros', Buffer.alloc(50_000)],
  [
    'an ID3 tag and nothing else',
    Buffer.concat([Buffer.from('ID3\u0004\0\0\0\0\u0007\u0076'), Buffer.alloc(1014)]),
  ],
  ['a WAV header alone', silentWav(44)],
  ['less than a second of WAV', silentWav(44 + 7_900)],
  ['less than a second of MP3', plainMp3(38)],
]
test('what holds less than a second of sound is refused', async () => {
  for (const [what, bytes] of NO_SOUND) expect([what, await refused(bytes)]).toEqual([what, 'not_audio'])
})

test('an MP3 without a header that counts its frames is measured by walking them', async () => {
  expect(await judge(plainMp3(100))).toMatchObject({ durationMs: 2612, format: { name: 'mp3' } })
  expect(await refused(plainMp3(100).subarray(0, -100))).toBe('not_audio')
})

test('an MP3 keeps its length with tags before and behind', async () => {
  const id3 = Buffer.concat([Buffer.from('ID3\u0004\0\0\0\0\u0007\u0068'), Buffer.alloc(1000)])
  const id3v1 = Buffer.concat([Buffer.from('TAG'), Buffer.alloc(125)])
  expect(await judge(Buffer.concat([id3, plainMp3(100), id3v1]))).toMatchObject({ durationMs: 2612 })
})

test('an MP3 filled up with what is no audio is refused: the size does not fit its bitrate', async () => {
  expect(await refused(Buffer.concat([plainMp3(100), Buffer.alloc(500_000, 7)]))).toBe('not_audio')
})

test('the fragments of an M4A belong to its track, also where the track’s header has times of 64 bits', async () => {
  const file = await readFile(new URL('fixtures/codings/aac-fragments.m4a', import.meta.url))
  const at = file.indexOf('tkhd')
  const long = Buffer.concat([
    file.subarray(0, at + 4),
    Buffer.from([1]),
    file.subarray(at + 5, at + 8),
    Buffer.alloc(8), // the two times are longer by so much
    file.subarray(at + 8, at + 24),
    Buffer.alloc(4),
    file.subarray(at + 24),
  ])
  for (const name of ['moov', 'trak', 'tkhd']) {
    const size = long.indexOf(name) - 4
    long.writeUInt32BE(long.readUInt32BE(size) + 12, size)
  }
  expect(await judge(long)).toMatchObject({ durationMs: 1264 })
})

test('an OGG plays for as long as its packets, wherever its positions begin and whatever they claim', async () => {
  const changes = [(at: bigint) => at + 10n ** 9n, (at: bigint) => at * 3n]
  for (const name of ['vorbis.ogg', 'tone.opus', 'codings/flac.ogg'])
    for (const change of changes) {
      const file = await readFile(new URL(`fixtures/${name}`, import.meta.url))
      const { durationMs } = await judge(file)
      const changed = withPages(file, (page) => {
        const at = page.readBigInt64LE(6)
        if (at > 0n) page.writeBigInt64LE(change(at), 6)
      })
      // without the end of the last packet, which is no sound
      expect(Math.abs((await judge(changed)).durationMs - durationMs)).toBeLessThan(20)
    }
})

test('an M4A plays for what its edit list names, and never longer than its sound', async () => {
  const file = await readFile(new URL('fixtures/tone.m4a', import.meta.url))
  for (const [edited, durationMs] of [
    [1_200, 1_200],
    [60_000, 1_646],
  ] as const) {
    file.writeUInt32BE(edited, file.indexOf('elst') + 12)
    expect(await judge(file)).toMatchObject({ durationMs })
  }
})

test('a second of silence is audio', async () => {
  expect(await judge(silentWav(44 + 8_000))).toMatchObject({ durationMs: 1000, bitrate: 64_352 })
})

const HOSTILE = [
  ['bomb of 54 KB.flac', 'decoded it would have'],
  ['9 channels.wav', 'It has 9 channels'],
  ['a rate of 7999 Hz.wav', 'Its rate is 7999 Hz'],
  ['a rate of 384001 Hz.wav', 'Its rate is 384001 Hz'],
  ['50 MB of tiny ID3 frames.mp3', 'bytes of it are no sound'],
  ['32 MB of metadata.flac', 'bytes of it are no sound'],
  ['20 MB before the data.wav', 'bytes of it are no sound'],
  ['a million streams.ogg', 'too many streams'],
  ['a million empty chunks.wav', 'too many chunks'],
  ['a million empty boxes.m4a', 'too many boxes'],
  ['half a million tracks and fragments.m4a', 'too many tracks'],
  ['half a million tags behind.mp3', 'Much of it is no MP3'],
  ['nothing but frame headers.flac', 'Its last frame is cut'],
] as const
test('hostile files are refused by a look at them, not by what reading them would cost', async () => {
  for (const [name, reason] of HOSTILE)
    await expect(judge(CORPUS.find((one) => one.name === name)?.make() ?? '')).rejects.toMatchObject({
      code: 'not_audio',
      cause: { message: expect.stringContaining(reason) as string },
    })
})
