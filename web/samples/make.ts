import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Makes the four samples of the landing page: two songs as note data, each in two takes, rendered by simple synthesis and
 * encoded with lame. `node web/samples/make.ts` writes web/public/samples and the peaks beside the landing page.
 */

const RATE = 44_100
const OUT = join(import.meta.dirname, '../public/samples')

interface Song {
  readonly bpm: number
  /** Chords as semitones from the root, one a bar. */
  readonly chords: readonly (readonly number[])[]
  readonly root: number
  /** Scale degrees in semitones over the root, eighth notes; null rests. */
  readonly melody: readonly (number | null)[]
}

const TEMI: Song = {
  bpm: 96,
  root: 220 * 2 ** (-2 / 12),
  chords: [
    [0, 4, 7, 11],
    [-3, 0, 4, 7],
    [-7, -3, 0, 4],
    [-5, -1, 2, 5],
  ],
  melody: [
    7,
    null,
    9,
    7,
    4,
    null,
    2,
    4,
    0,
    null,
    2,
    4,
    7,
    null,
    4,
    null,
    9,
    null,
    11,
    9,
    7,
    null,
    4,
    2,
    4,
    null,
    2,
    null,
    -1,
    2,
    0,
    null,
  ],
}
const JONAH: Song = {
  bpm: 72,
  root: 220 * 2 ** (-7 / 12),
  chords: [
    [0, 4, 7, 12],
    [5, 9, 12, 17],
    [-3, 0, 4, 9],
    [-5, -1, 2, 7],
  ],
  melody: [
    4,
    4,
    7,
    null,
    9,
    7,
    null,
    4,
    5,
    null,
    9,
    12,
    9,
    null,
    7,
    null,
    4,
    null,
    0,
    4,
    7,
    null,
    9,
    null,
    7,
    4,
    2,
    null,
    0,
    null,
    null,
    null,
  ],
}

interface Take {
  readonly song: Song
  readonly bars: number
  readonly lead: 'pluck' | 'voice' | 'organ' | 'bell'
  readonly drums: 'log' | 'brush' | 'none'
  readonly transpose: number
}

const TAKES: Record<string, Take> = {
  'temi-a': { song: TEMI, bars: 6, lead: 'pluck', drums: 'log', transpose: 0 },
  'temi-b': { song: TEMI, bars: 6, lead: 'voice', drums: 'none', transpose: 0 },
  'jonah-a': { song: JONAH, bars: 4, lead: 'organ', drums: 'brush', transpose: 0 },
  'jonah-b': { song: JONAH, bars: 4, lead: 'bell', drums: 'none', transpose: 3 },
}

/** A small seeded noise source, so that every run makes the same music. */
function noise(): () => number {
  let state = 7
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 1_073_741_824 - 1
  }
}

type Voice = (t: number, hz: number, length: number) => number

const sine = (t: number, hz: number): number => Math.sin(2 * Math.PI * hz * t)
const fade = (t: number, length: number, attack: number, release: number): number =>
  Math.min(1, t / attack) * Math.min(1, Math.max(0, (length - t) / release))

const VOICES: Record<Take['lead'] | 'pad' | 'bass', Voice> = {
  pluck: (t, hz) =>
    Math.exp(-5 * t) *
    (sine(t, hz * 2) + 0.4 * sine(t, hz * 5.98) * Math.exp(-9 * t)) *
    Math.min(1, t / 0.004),
  bell: (t, hz) =>
    Math.exp(-2.6 * t) *
    (sine(t, hz * 2) + 0.5 * sine(t, hz * 2 * 2.76) * Math.exp(-4 * t)) *
    0.8 *
    Math.min(1, t / 0.004),
  voice: (t, hz, length) => {
    const wave = hz * 2 * (1 + 0.004 * Math.sin(2 * Math.PI * 5.4 * t))
    return (
      [1, 0.55, 0.32, 0.1, 0.14].reduce((sum, level, n) => sum + level * sine(t, wave * (n + 1)), 0) *
      fade(t, length, 0.07, 0.12) *
      0.55
    )
  },
  organ: (t, hz, length) =>
    [1, 0.7, 0.5, 0.3].reduce((sum, level, n) => sum + level * sine(t, hz * 2 * [0.5, 1, 2, 3][n]!), 0) *
    fade(t, length, 0.015, 0.06) *
    (0.45 + 0.06 * Math.sin(2 * Math.PI * 6.2 * t)),
  pad: (t, hz, length) =>
    (sine(t, hz) + sine(t, hz * 1.004) + 0.4 * sine(t, hz * 2)) * fade(t, length, 0.25, 0.35) * 0.3,
  bass: (t, hz, length) =>
    (sine(t, hz / 2) + 0.3 * sine(t, hz)) * fade(t, length, 0.01, 0.1) * Math.exp(-1.2 * t),
}

function render(take: Take): Float32Array {
  const beat = 60 / take.song.bpm
  const out = new Float32Array(Math.ceil((take.bars * 4 * beat + 1.2) * RATE))
  const add = (at: number, length: number, sound: (t: number) => number, level: number): void => {
    const start = Math.floor(at * RATE)
    for (let i = 0; i < length * RATE && start + i < out.length; i++)
      out[start + i]! += sound(i / RATE) * level
  }
  const hz = (semitones: number): number => take.song.root * 2 ** ((semitones + take.transpose) / 12)
  const hiss = noise()
  for (let bar = 0; bar < take.bars; bar++) {
    const chord = take.song.chords[bar % take.song.chords.length]!
    const at = bar * 4 * beat
    for (const note of chord) add(at, 4 * beat, (t) => VOICES.pad(t, hz(note), 4 * beat), 0.12)
    for (const place of [0, 1.5, 2, 3.5])
      add(at + place * beat, beat, (t) => VOICES.bass(t, hz(chord[0]! - 12), beat), 0.34)
    for (let eighth = 0; eighth < 8; eighth++) {
      const note = take.song.melody[(bar * 8 + eighth) % take.song.melody.length]
      const length = take.lead === 'voice' || take.lead === 'organ' ? beat * 0.75 : 1.4
      if (note !== null && note !== undefined)
        add(at + eighth * beat * 0.5, length, (t) => VOICES[take.lead](t, hz(note), length), 0.26)
    }
    if (take.drums === 'log')
      for (const [place, tone] of [
        [0, 70],
        [1.5, 92],
        [2.5, 60],
        [3.25, 104],
      ] as const)
        add(
          at + place * beat,
          0.4,
          (t) => Math.exp(-9 * t) * sine(t, tone * (1 + 0.8 * Math.exp(-26 * t))),
          0.42,
        )
    if (take.drums !== 'none')
      for (let eighth = 0; eighth < 8; eighth++)
        add(at + eighth * beat * 0.5, 0.12, (t) => hiss() * Math.exp(-42 * t), eighth % 2 ? 0.11 : 0.05)
    if (take.drums === 'brush')
      for (const place of [1, 3]) add(at + place * beat, 0.3, (t) => hiss() * Math.exp(-13 * t), 0.14)
  }
  return finish(out)
}

/** A short room, soft limiting, a fade at the end, and a peak of -1.5 dB. */
function finish(dry: Float32Array): Float32Array {
  const out = Float32Array.from(dry)
  for (const [delay, level] of [
    [0.031, 0.22],
    [0.047, 0.17],
    [0.083, 0.12],
  ] as const) {
    const offset = Math.floor(delay * RATE)
    for (let i = offset; i < out.length; i++) out[i]! += out[i - offset]! * level
  }
  const tail = 1.2 * RATE
  for (let i = 0; i < tail; i++) out[out.length - 1 - i]! *= i / tail
  for (let i = 0; i < out.length; i++) out[i] = Math.tanh(out[i]! * 1.3)
  const loudest = out.reduce((peak, value) => Math.max(peak, Math.abs(value)), 0)
  return out.map((value) => (value / loudest) * 10 ** (-1.5 / 20))
}

function wav(samples: Float32Array): Buffer {
  const data = Buffer.alloc(44 + samples.length * 2)
  data.write('RIFF', 0)
  data.writeUInt32LE(36 + samples.length * 2, 4)
  data.write('WAVEfmt ', 8)
  data.writeUInt32LE(16, 16)
  data.writeUInt16LE(1, 20)
  data.writeUInt16LE(1, 22)
  data.writeUInt32LE(RATE, 24)
  data.writeUInt32LE(RATE * 2, 28)
  data.writeUInt16LE(2, 32)
  data.writeUInt16LE(16, 34)
  data.write('data', 36)
  data.writeUInt32LE(samples.length * 2, 40)
  samples.forEach((value, i) => data.writeInt16LE(Math.round(value * 32_767), 44 + i * 2))
  return data
}

function peaksOf(samples: Float32Array, count = 90): number[] {
  const step = samples.length / count
  return Array.from({ length: count }, (_, n) => {
    const part = samples.subarray(Math.floor(n * step), Math.floor((n + 1) * step))
    const power = part.reduce((sum, value) => sum + value * value, 0) / part.length
    return Number(Math.sqrt(power).toFixed(3))
  })
}

mkdirSync(OUT, { recursive: true })
const peaks: Record<string, { seconds: number; peaks: number[] }> = {}
for (const [name, take] of Object.entries(TAKES)) {
  const samples = render(take)
  const file = join(OUT, `${name}.wav`)
  writeFileSync(file, wav(samples))
  execFileSync('lame', ['--quiet', '-m', 'm', '-b', '80', file, join(OUT, `${name}.mp3`)])
  rmSync(file)
  peaks[name] = { seconds: Number((samples.length / RATE).toFixed(1)), peaks: peaksOf(samples) }
}
writeFileSync(join(import.meta.dirname, '../src/features/landing/peaks.json'), `${JSON.stringify(peaks)}\n`)
