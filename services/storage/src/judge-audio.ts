import { type Bytes, flaw, type Flaw, type Sound } from './domain/audio/bytes.ts'
import { excessOf } from './domain/audio/limits.ts'
import { readAudio } from './domain/audio/read-audio.ts'
import { withBytes } from './file-bytes.ts'

const MIN_DURATION_MS = 1000
/** Bits a second; no codec goes lower. */
const MIN_BITRATE = 500

export interface Judgement extends Omit<Sound, 'sampleRate'> {
  /** Bits a second on average, tags and all. */
  readonly bitrate: number
}

/**
 * Whether a file is a whole recording that browsers play, by our own walk through its structure: what its headers claim of its
 * length is not believed. A flaw says why it is refused. The limits are checked as early as the file says enough.
 */
export const judgeAudio = (path: string): Promise<Judgement | Flaw> => withBytes(path, judge)

async function judge(bytes: Bytes): Promise<Judgement | Flaw> {
  // a reader that throws on hostile bytes has judged them
  const verdict = await readAudio(bytes).catch((error: Error) => flaw(`It cannot be read: ${error.message}.`))
  if ('flaw' in verdict) return verdict
  const { format, durationMs, channels } = verdict
  const excess = excessOf(verdict)
  if (excess) return flaw(excess)
  if (durationMs < MIN_DURATION_MS) return flaw(`It plays for ${durationMs} ms, less than a second.`)
  const bitrate = Math.round((bytes.size * 8000) / durationMs)
  if (bitrate < MIN_BITRATE) return flaw(`${bytes.size} bytes cannot play for ${durationMs} ms.`)
  return { format, durationMs, bitrate, channels }
}
