/** What the operator should know of a recording before it is delivered. */
export interface Measures {
  readonly durationMs: number
  /** Integrated loudness; null for silence. */
  readonly loudnessLufs: number | null
  /** Of the loudest sample, relative to full scale; null for silence. */
  readonly peakDb: number | null
  readonly silenceBeforeMs: number
  readonly silenceAfterMs: number
  /** How often samples stay at full scale. */
  readonly clips: number
  /** The loudest sample of each slice, as a waveform draws it. */
  readonly peaks: number[]
}

/** -60 dB: quieter is silence. */
const SILENT = 0.001
const FULL_SCALE = 0.999
/** So many samples at full scale, one after the other, are not a peak but a cut-off one. */
const CLIPPED_SAMPLES = 3

const decibels = (amplitude: number): number => 20 * Math.log10(amplitude)

/** Measures a decoded recording, one array of samples a channel. */
export function measure(channels: readonly Float32Array[], sampleRate: number): Measures {
  const samples = channels[0]?.length ?? 0
  const found = channels.map(scan)
  const peak = Math.max(0, ...found.map((one) => one.peak))
  const first = Math.min(samples, ...found.map((one) => one.first))
  const last = Math.max(-1, ...found.map((one) => one.last))
  const toMs = (count: number): number => (count / sampleRate) * 1000
  return {
    durationMs: toMs(samples),
    loudnessLufs: loudness(channels, sampleRate),
    peakDb: peak < SILENT ? null : decibels(peak),
    silenceBeforeMs: toMs(first),
    silenceAfterMs: toMs(samples - 1 - last),
    clips: found.reduce((sum, { clips }) => sum + clips, 0),
    peaks: peaksOf(channels, samples),
  }
}

const SLICES = 200

function peaksOf(channels: readonly Float32Array[], samples: number): number[] {
  const length = Math.max(1, Math.ceil(samples / SLICES))
  return Array.from({ length: Math.ceil(samples / length) }, (_one, n) =>
    channels.reduce((loudest, channel) => {
      for (const sample of channel.subarray(n * length, (n + 1) * length))
        loudest = Math.max(loudest, Math.abs(sample))
      return loudest
    }, 0),
  )
}

/** Peak, the first and last sample that is not silent, and clips of one channel. */
function scan(samples: Float32Array): { peak: number; first: number; last: number; clips: number } {
  let peak = 0
  let first = samples.length
  let last = -1
  let clips = 0
  let run = 0
  for (let i = 0; i < samples.length; i++) {
    const level = Math.abs(samples[i]!)
    if (level > peak) peak = level
    if (level >= SILENT) {
      if (last < 0) first = i
      last = i
    }
    run = level >= FULL_SCALE ? run + 1 : 0
    if (run === CLIPPED_SAMPLES) clips++
  }
  return { peak, first, last, clips }
}

const STEP_SECONDS = 0.1
/** A block of 400 ms begins every 100 ms. */
const STEPS_PER_BLOCK = 4
const ABSOLUTE_GATE_LUFS = -70
const RELATIVE_GATE_LU = -10

const lufsOf = (energy: number): number => -0.691 + 10 * Math.log10(energy)
const mean = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0) / values.length

/** Integrated loudness by ITU-R BS.1770-4, all channels weighted alike; null when nothing passes its gates. */
function loudness(channels: readonly Float32Array[], sampleRate: number): number | null {
  const stepLength = Math.round(sampleRate * STEP_SECONDS)
  const steps: number[] = []
  for (const samples of channels)
    for (const [i, energy] of stepEnergies(samples, sampleRate, stepLength).entries())
      steps[i] = (steps[i] ?? 0) + energy
  const blocks = steps
    .slice(0, Math.max(0, steps.length - STEPS_PER_BLOCK + 1))
    .map((_energy, i) => mean(steps.slice(i, i + STEPS_PER_BLOCK)))
  const loud = blocks.filter((energy) => lufsOf(energy) > ABSOLUTE_GATE_LUFS)
  if (loud.length === 0) return null
  const gate = lufsOf(mean(loud)) + RELATIVE_GATE_LU
  return lufsOf(mean(loud.filter((energy) => lufsOf(energy) > gate)))
}

/** The mean square of each full step after K-weighting. */
function stepEnergies(samples: Float32Array, sampleRate: number, stepLength: number): number[] {
  const [shelf, highPass] = kWeighting(sampleRate)
  const energies: number[] = []
  let sum = 0
  // two filters in transposed direct form II, inlined: this loop runs for every sample of a song
  let [s1, s2, h1, h2] = [0, 0, 0, 0]
  for (let i = 0; i < samples.length; i++) {
    const x = samples[i]!
    const y = shelf.b0 * x + s1
    s1 = shelf.b1 * x - shelf.a1 * y + s2
    s2 = shelf.b2 * x - shelf.a2 * y
    const z = highPass.b0 * y + h1
    h1 = highPass.b1 * y - highPass.a1 * z + h2
    h2 = highPass.b2 * y - highPass.a2 * z
    sum += z * z
    if ((i + 1) % stepLength !== 0) continue
    energies.push(sum / stepLength)
    sum = 0
  }
  return energies
}

interface Biquad {
  readonly b0: number
  readonly b1: number
  readonly b2: number
  readonly a1: number
  readonly a2: number
}

/** The two filters of BS.1770, whose table is for 48 kHz, for any rate: the parameters are those of libebur128. */
function kWeighting(sampleRate: number): readonly [shelf: Biquad, highPass: Biquad] {
  const shelfQ = 0.7071752369554196
  const k = Math.tan((Math.PI * 1681.974450955533) / sampleRate)
  const high = 10 ** (3.999843853973347 / 20)
  const band = high ** 0.4996667741545416
  const a0 = 1 + k / shelfQ + k * k
  const shelf = {
    b0: (high + (band * k) / shelfQ + k * k) / a0,
    b1: (2 * (k * k - high)) / a0,
    b2: (high - (band * k) / shelfQ + k * k) / a0,
    a1: (2 * (k * k - 1)) / a0,
    a2: (1 - k / shelfQ + k * k) / a0,
  }
  const passQ = 0.5003270373238773
  const p = Math.tan((Math.PI * 38.13547087602444) / sampleRate)
  const c0 = 1 + p / passQ + p * p
  const highPass = { b0: 1, b1: -2, b2: 1, a1: (2 * (p * p - 1)) / c0, a2: (1 - p / passQ + p * p) / c0 }
  return [shelf, highPass]
}
