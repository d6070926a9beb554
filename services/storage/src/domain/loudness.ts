/** Samples from -1 to 1, one array a channel. */
export type Channels = readonly Float32Array[]

const BLOCK_MS = 400
/** Blocks overlap by three quarters. */
const STEPS = 4
const ABSOLUTE_GATE_LUFS = -70
const RELATIVE_GATE_LU = -10
const OFFSET_LUFS = -0.691

export interface LoudnessMeter {
  add(channels: Channels): void
  /**
   * LUFS to two decimals; null when all of it is quieter than the absolute gate or shorter than one block, or when a float
   * sample is no number or infinite.
   */
  integrated(): number | null
}

/**
 * Integrated loudness as EBU R128 and ITU-R BS.1770-4 define it: K-weighted, mean square over 400 ms blocks, gated at
 * -70 LUFS and at 10 LU below the mean of what is left. The samples come in pieces of any length.
 */
export function createLoudnessMeter(sampleRate: number, channelCount: number): LoudnessMeter {
  const stepSamples = Math.round((sampleRate * BLOCK_MS) / 1000 / STEPS)
  const filters = Array.from({ length: channelCount }, () => kWeighting(sampleRate))
  const steps: number[] = []
  let energy = 0
  let filled = 0
  return {
    add: (channels) => {
      const length = channels[0]?.length ?? 0
      for (let from = 0; from < length;) {
        const to = Math.min(length, from + stepSamples - filled)
        for (const [channel, samples] of channels.entries())
          energy += (filters[channel]?.(samples, from, to) ?? 0) * weightOf(channel, channelCount)
        filled += to - from
        from = to
        if (filled === stepSamples) {
          steps.push(energy / stepSamples)
          energy = 0
          filled = 0
        }
      }
    },
    integrated: () => gated(steps),
  }
}

/** In 5.1 order (L R C LFE Ls Rs) the surrounds count 1.5 dB more and the low-frequency channel not at all. */
const weightOf = (channel: number, count: number): number =>
  count < 6 || channel < 3 ? 1 : channel === 3 ? 0 : channel < 6 ? 1.41 : 1

function gated(steps: readonly number[]): number | null {
  const blocks: number[] = []
  for (let i = STEPS; i <= steps.length; i++) blocks.push(mean(steps.slice(i - STEPS, i)))
  const audible = blocks.filter((block) => lufs(block) > ABSOLUTE_GATE_LUFS)
  if (audible.length === 0) return null
  const threshold = lufs(mean(audible)) + RELATIVE_GATE_LU
  const loud = audible.filter((block) => lufs(block) > threshold)
  const loudness = lufs(mean(loud))
  return Number.isFinite(loudness) ? Math.round(loudness * 100) / 100 : null
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

const lufs = (power: number): number => OFFSET_LUFS + 10 * Math.log10(power)

type Biquad = readonly [b0: number, b1: number, b2: number, a1: number, a2: number]

/** The two filters of BS.1770, derived for any sample rate. Answers the sum of squares of the samples `from` to `to`. */
function kWeighting(sampleRate: number): (samples: Float32Array, from: number, to: number) => number {
  const [b0, b1, b2, a1, a2] = shelf(sampleRate)
  const [d0, d1, d2, c1, c2] = highPass(sampleRate)
  let s1 = 0
  let s2 = 0
  let t1 = 0
  let t2 = 0
  return (samples, from, to) => {
    let sum = 0
    for (let i = from; i < to; i++) {
      const x = samples[i] ?? 0
      const y = b0 * x + s1
      s1 = b1 * x - a1 * y + s2
      s2 = b2 * x - a2 * y
      const z = d0 * y + t1
      t1 = d1 * y - c1 * z + t2
      t2 = d2 * y - c2 * z
      sum += z * z
    }
    return sum
  }
}

function shelf(sampleRate: number): Biquad {
  const k = Math.tan((Math.PI * 1681.974450955533) / sampleRate)
  const q = 0.7071752369554196
  const vh = 10 ** (3.999843853973347 / 20)
  const vb = vh ** 0.4996667741545416
  const a0 = 1 + k / q + k * k
  return [
    (vh + (vb * k) / q + k * k) / a0,
    (2 * (k * k - vh)) / a0,
    (vh - (vb * k) / q + k * k) / a0,
    (2 * (k * k - 1)) / a0,
    (1 - k / q + k * k) / a0,
  ]
}

function highPass(sampleRate: number): Biquad {
  const k = Math.tan((Math.PI * 38.13547087602444) / sampleRate)
  const q = 0.5003270373238773
  const a0 = 1 + k / q + k * k
  return [1, -2, 1, (2 * (k * k - 1)) / a0, (1 - k / q + k * k) / a0]
}
