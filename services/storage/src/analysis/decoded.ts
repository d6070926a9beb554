import type { Channels } from '../domain/loudness.ts'

/** Samples of a piece of a file. */
export interface Decoded {
  readonly channelData: Channels
  readonly samplesDecoded: number
  readonly sampleRate: number
}
