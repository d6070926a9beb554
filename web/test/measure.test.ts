import { expect, test } from 'vitest'
import { measure } from '../src/features/operator/measure.ts'

const RATE = 44_100

const samples = (seconds: number, at: (second: number) => number): Float32Array =>
  Float32Array.from({ length: Math.round(seconds * RATE) }, (_one, i) => at(i / RATE))
const sine = (seconds: number, amplitude: number, hertz = 997): Float32Array =>
  samples(seconds, (second) => amplitude * Math.sin(2 * Math.PI * hertz * second))
const joined = (...pieces: Float32Array[]): Float32Array =>
  Float32Array.from(pieces.flatMap((one) => [...one]))

test('a full-scale sine of 997 Hz in one channel has -3.01 LUFS, in two 0.0, at other rates too (BS.1770)', () => {
  expect(measure([sine(5, 1)], RATE).loudnessLufs).toBeCloseTo(-3.01, 1)
  expect(measure([sine(5, 1), sine(5, 1)], RATE).loudnessLufs).toBeCloseTo(0, 1)
  const other = Float32Array.from({ length: 5 * 48_000 }, (_one, i) =>
    Math.sin((2 * Math.PI * 997 * i) / 48_000),
  )
  expect(measure([other], 48_000).loudnessLufs).toBeCloseTo(-3.01, 1)
})

test('loudness weighs low tones less, and quiet passages not at all', () => {
  expect(measure([sine(5, 0.5, 40)], RATE).loudnessLufs ?? 0).toBeLessThan(-12)
  const loud = measure([sine(5, 0.5)], RATE).loudnessLufs ?? 0
  const interrupted = measure([joined(sine(5, 0.5), sine(10, 0.001), sine(5, 0.5))], RATE)
  expect(Math.abs((interrupted.loudnessLufs ?? 0) - loud)).toBeLessThan(0.3)
})

test('duration, peak and the silence at either end are those of all channels together', () => {
  const silence = (seconds: number): Float32Array => new Float32Array(seconds * RATE)
  const left = joined(silence(2), sine(3, 0.25), silence(5))
  const right = joined(silence(4), sine(2, 0.5), silence(4))
  const found = measure([left, right], RATE)
  expect(found.durationMs).toBe(10_000)
  expect(found.peakDb).toBeCloseTo(-6.02, 1)
  expect(found.silenceBeforeMs / 1000).toBeCloseTo(2, 2)
  expect(found.silenceAfterMs / 1000).toBeCloseTo(4, 2)
  expect(found.clips).toBe(0)
  expect(found.peaks).toHaveLength(200)
  // one slice is 50 ms
  expect([0, 50, 90, 199].map((n) => found.peaks[n]?.toFixed(2))).toEqual(['0.00', '0.25', '0.50', '0.00'])
})

test('samples that stay at full scale are clips; a peak that touches it is none', () => {
  const cut = sine(1, 2, 100).map((level) => Math.max(-1, Math.min(1, level)))
  // twice a period
  expect(measure([cut], RATE).clips).toBe(200)
  expect(measure([sine(1, 0.998, 100)], RATE).clips).toBe(0)
  const touching = new Float32Array(RATE)
  touching[100] = 1
  expect(measure([touching], RATE).clips).toBe(0)
})

test('silence has neither loudness nor peak, and nothing fails without samples', () => {
  expect(measure([new Float32Array(RATE)], RATE)).toEqual({
    durationMs: 1000,
    loudnessLufs: null,
    peakDb: null,
    silenceBeforeMs: 1000,
    silenceAfterMs: 1000,
    clips: 0,
    peaks: Array.from({ length: 200 }, () => 0),
  })
  expect(measure([new Float32Array(0)], RATE)).toMatchObject({
    durationMs: 0,
    loudnessLufs: null,
    peakDb: null,
  })
})
