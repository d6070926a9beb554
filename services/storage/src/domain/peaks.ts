import type { Channels } from './loudness.ts'

export interface PeakMeter {
  add(channels: Channels): void
  /** One value a part, 0 to 1 to three decimals. */
  peaks(): number[]
}

/** The loudest sample of each of `parts` equal parts of `totalSamples`, over all channels: what a waveform is drawn from. */
export function createPeakMeter(totalSamples: number, parts: number): PeakMeter {
  const loudest = new Float32Array(parts)
  let at = 0
  return {
    add: (channels) => {
      const length = channels[0]?.length ?? 0
      for (const samples of channels) {
        for (let i = 0; i < length; i++) {
          const part = Math.min(parts - 1, Math.floor(((at + i) * parts) / totalSamples))
          const level = Math.abs(samples[i] ?? 0)
          if (level > (loudest[part] ?? 0)) loudest[part] = level
        }
      }
      at += length
    },
    peaks: () => [...loudest].map((level) => Math.round(Math.min(1, level) * 1000) / 1000),
  }
}
