/** What decoding a file may cost; far beyond any song. */
export const MAX_CHANNELS = 8
/** The lowest rate of the lossy formats; the loudness filters do not work much below it. */
const MIN_SAMPLE_RATE = 8_000
const MAX_SAMPLE_RATE = 384_000
/** As 32-bit samples: about 100 minutes of stereo at 44.1 kHz. */
export const MAX_DECODED_BYTES = 2 * 2 ** 30
const SAMPLE_BYTES = 4
/** Of everything in a file that is not sound. Cover art has a few MiB at most. */
export const MAX_TAG_BYTES = 16 * 2 ** 20
/** Chunks of a WAV, boxes of an MPEG-4 file; a fragmented one has two for each second. */
export const MAX_CHUNKS = 10_000

export interface Sound {
  readonly durationMs: number
  readonly sampleRate: number
  readonly channels: number
}

/** Why this much sound is not decoded; null when it is within the limits. */
export function excessOf({ durationMs, sampleRate, channels }: Sound): string | null {
  // written so that NaN is refused too
  if (!(channels >= 1 && channels <= MAX_CHANNELS))
    return `It has ${channels} channels; 1 to ${MAX_CHANNELS} are taken.`
  if (!(sampleRate >= MIN_SAMPLE_RATE && sampleRate <= MAX_SAMPLE_RATE))
    return `Its rate is ${sampleRate} Hz; ${MIN_SAMPLE_RATE} to ${MAX_SAMPLE_RATE} are taken.`
  const bytes = (durationMs / 1000) * sampleRate * channels * SAMPLE_BYTES
  return bytes <= MAX_DECODED_BYTES
    ? null
    : `It is too long: decoded it would have ${Math.round(bytes / 2 ** 20)} MiB.`
}

export const tooManyTags = (bytes: number): string | null =>
  bytes <= MAX_TAG_BYTES ? null : `${bytes} bytes of it are no sound.`
