import { measure } from './measure.ts'

/** A worker, so that the page stays responsive: a song has tens of millions of samples. */

export interface Recording {
  readonly channels: readonly Float32Array<ArrayBuffer>[]
  readonly sampleRate: number
}

addEventListener('message', ({ data }: MessageEvent<Recording>) =>
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker's has no target
  postMessage(measure(data.channels, data.sampleRate)),
)
