import { createReadStream, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { decode } from '../src/analysis/decode.ts'
import { createLoudnessMeter } from '../src/domain/loudness.ts'

/** The samples of the landing page, heard by the analysis that songs get: what can be measured of a good master. */

const WEB = new URL('../../../web/', import.meta.url)
const NAMES = ['temi-a', 'temi-b', 'jonah-a', 'jonah-b'] as const
const TARGET_LUFS = -15
const HIGHEST_PEAK_DB = -1
const SILENT_DB = -50

interface Heard {
  readonly left: Float32Array
  readonly right: Float32Array
  readonly seconds: number
  readonly lufs: number
}

async function hear(name: string): Promise<Heard> {
  const file = fileURLToPath(new URL(`public/samples/${name}.mp3`, WEB))
  const parts: Float32Array[][] = []
  let rate = 0
  for await (const { channelData, sampleRate } of decode('mp3', createReadStream(file))) {
    parts.push([...channelData])
    rate = sampleRate
  }
  const [left, right] = [0, 1].map((side) => joined(parts.map((part) => part[side]!))) as [
    Float32Array,
    Float32Array,
  ]
  const meter = createLoudnessMeter(rate, 2)
  meter.add([left, right])
  return { left, right, seconds: left.length / rate, lufs: meter.integrated() ?? Number.NaN }
}

function joined(parts: readonly Float32Array[]): Float32Array {
  const whole = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

const db = (level: number): number => 20 * Math.log10(level + 1e-9)

const TAPS = 12
/** Weights for three points between two samples: a windowed sinc. */
const BETWEEN = [0.25, 0.5, 0.75].map((part) =>
  Array.from({ length: TAPS }, (_one, tap) => {
    const x = Math.PI * (tap - TAPS / 2 + 1 - part)
    return (Math.sin(x) / x) * Math.cos(x / TAPS) ** 2
  }),
)

/** The highest level, between the samples too. */
function truePeak(sound: Float32Array): number {
  let highest = 0
  for (let at = TAPS; at < sound.length - TAPS; at++) {
    const here = Math.abs(sound[at]!)
    highest = Math.max(highest, here)
    if (here < 0.6) continue
    for (const weights of BETWEEN)
      highest = Math.max(
        highest,
        Math.abs(weights.reduce((sum, weight, tap) => sum + weight * sound[at + tap - TAPS / 2 + 1]!, 0)),
      )
  }
  return highest
}

function correlation(one: ArrayLike<number>, other: ArrayLike<number>): number {
  const count = Math.min(one.length, other.length)
  let [a, b, aa, bb, ab] = [0, 0, 0, 0, 0]
  for (let i = 0; i < count; i++) {
    const [x, y] = [one[i]!, other[i]!]
    a += x
    b += y
    aa += x * x
    bb += y * y
    ab += x * y
  }
  return (ab - (a * b) / count) / Math.sqrt((aa - a ** 2 / count) * (bb - b ** 2 / count))
}

/** Root mean square of equal parts, over both channels. */
function levels({ left, right }: Heard, parts: number): number[] {
  return Array.from({ length: parts }, (_one, part) => {
    const [from, to] = [part, part + 1].map((edge) => Math.floor((edge * left.length) / parts)) as [
      number,
      number,
    ]
    let sum = 0
    for (let i = from; i < to; i++) sum += ((left[i]! + right[i]!) / 2) ** 2
    return Math.sqrt(sum / (to - from))
  })
}

const heard = new Map<string, Heard>()
beforeAll(async () => {
  for (const name of NAMES) heard.set(name, await hear(name))
})

describe.each(NAMES)('the sample %s', (name) => {
  test('lasts half a minute to a minute and is as loud as the others', () => {
    const { seconds, lufs } = heard.get(name)!
    expect(seconds).toBeGreaterThan(30)
    expect(seconds).toBeLessThan(60)
    expect(Math.abs(lufs - TARGET_LUFS)).toBeLessThan(0.3)
  })

  test('has room above its highest peak', () => {
    const { left, right } = heard.get(name)!
    expect(db(Math.max(truePeak(left), truePeak(right)))).toBeLessThanOrEqual(HIGHEST_PEAK_DB)
  })

  test('begins at once, fades out, and is silent nowhere between', () => {
    const tenths = levels(heard.get(name)!, Math.round(heard.get(name)!.seconds * 10)).map(db)
    expect(Math.max(...tenths.slice(0, 2))).toBeGreaterThan(SILENT_DB)
    expect(tenths.at(-1)).toBeLessThan(-35)
    expect(Math.min(...tenths.slice(2, -15))).toBeGreaterThan(SILENT_DB)
  })

  test('is stereo, and survives being heard on one speaker', () => {
    const { left, right } = heard.get(name)!
    const alike = correlation(left, right)
    expect(alike).toBeLessThan(0.98)
    expect(alike).toBeGreaterThan(0.3)
  })

  test('looks on the page as it sounds', () => {
    const known = JSON.parse(readFileSync(new URL('src/features/landing/peaks.json', WEB), 'utf8')) as Record<
      string,
      { seconds: number; peaks: number[] }
    >
    const { seconds, peaks } = known[name]!
    expect(Math.abs(seconds - heard.get(name)!.seconds)).toBeLessThan(0.2)
    expect(correlation(peaks, levels(heard.get(name)!, peaks.length))).toBeGreaterThan(0.97)
  })
})

test.each(['temi', 'jonah'])('the two takes of %s are two recordings', (song) => {
  const [a, b] = ['a', 'b'].map((take) => heard.get(`${song}-${take}`)!) as [Heard, Heard]
  expect(Math.abs(a.seconds - b.seconds)).toBeGreaterThan(1)
  expect(Math.abs(correlation(a.left, b.left))).toBeLessThan(0.2)
})
