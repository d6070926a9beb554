import { expect, test } from 'vitest'
import { createLoudnessMeter } from '../src/domain/loudness.ts'
import { createPeakMeter } from '../src/domain/peaks.ts'

const fromDb = (db: number): number => 10 ** (db / 20)

function sine(options: { hz: number; db: number; seconds: number; sampleRate?: number }): Float32Array {
  const { hz, db, seconds, sampleRate = 48_000 } = options
  const amplitude = fromDb(db)
  return new Float32Array(seconds * sampleRate).map(
    (_, i) => amplitude * Math.sin((2 * Math.PI * hz * i) / sampleRate),
  )
}

function joined(...parts: Float32Array[]): Float32Array {
  const whole = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

function loudnessOf(channels: Float32Array[], sampleRate = 48_000): number | null {
  const meter = createLoudnessMeter(sampleRate, channels.length)
  meter.add(channels)
  return meter.integrated()
}

const twice = (samples: Float32Array): Float32Array[] => [samples, samples]

// EBU Tech 3341, table 1: the cases 1 to 5 may be off by at most 0.1 LU
const CASES: [string, Float32Array[], number][] = [
  ['case 1', [sine({ hz: 1000, db: -23, seconds: 20 })], -23],
  ['case 2', [sine({ hz: 1000, db: -33, seconds: 20 })], -33],
  ['case 3', [-36, -23, -36].map((db, i) => sine({ hz: 1000, db, seconds: [10, 60, 10][i] ?? 0 })), -23],
  [
    'case 4',
    [-72, -36, -23, -36, -72].map((db, i) => sine({ hz: 1000, db, seconds: [10, 10, 60, 10, 10][i] ?? 0 })),
    -23,
  ],
  ['case 5', [-26, -20, -26].map((db, i) => sine({ hz: 1000, db, seconds: [20, 20.1, 20][i] ?? 0 })), -23],
]
test('the cases of EBU Tech 3341 are measured within a tenth', () => {
  const wrong = CASES.map(([name, parts, expected]) => ({
    name,
    offBy: (loudnessOf(twice(joined(...parts))) ?? 0) - expected,
  })).filter(({ offBy }) => Math.abs(offBy) > 0.1)
  expect(wrong).toEqual([])
})

test('the measure does not depend on the sample rate', () => {
  for (const sampleRate of [8_000, 22_050, 44_100, 96_000]) {
    const loudness = loudnessOf(twice(sine({ hz: 997, db: -20, seconds: 4, sampleRate })), sampleRate)
    expect(Math.abs((loudness ?? 0) - -20)).toBeLessThanOrEqual(sampleRate < 16_000 ? 0.5 : 0.15)
  }
})

test('a single channel is 3 LU quieter than the same in two', () => {
  const samples = sine({ hz: 997, db: -20, seconds: 2 })
  expect((loudnessOf(twice(samples)) ?? 0) - (loudnessOf([samples]) ?? 0)).toBeCloseTo(3.01, 1)
})

test('pieces of any length measure like the whole', () => {
  const samples = sine({ hz: 440, db: -14, seconds: 3 })
  const meter = createLoudnessMeter(48_000, 1)
  for (let at = 0, size = 1; at < samples.length; at += size, size = (size * 7 + 3) % 9000)
    meter.add([samples.subarray(at, at + size)])
  expect(meter.integrated()).toBe(loudnessOf([samples]))
})

test('silence and less than one block have no loudness', () => {
  expect(loudnessOf([new Float32Array(480_000)])).toBeNull()
  expect(loudnessOf([sine({ hz: 1000, db: -3, seconds: 0.3 })])).toBeNull()
})

test('peaks are the loudest samples of equal parts, over all channels and pieces', () => {
  const meter = createPeakMeter(8, 4)
  meter.add([Float32Array.of(0.1, -0.5, 0.2), Float32Array.of(0, 0, -0.7)])
  meter.add([Float32Array.of(0, 0.25, 0, 2, 1), Float32Array.of(0, 0, 0, 0, 0)])
  expect(meter.peaks()).toEqual([0.5, 0.7, 0.25, 1])
})
