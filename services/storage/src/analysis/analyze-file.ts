import { createReadStream } from 'node:fs'
import type { FormatName } from '../domain/audio/bytes.ts'
import { excessOf } from '../domain/audio/limits.ts'
import { skipLeadingTags } from '../domain/audio/tags.ts'
import { createLoudnessMeter, type LoudnessMeter } from '../domain/loudness.ts'
import { createPeakMeter, type PeakMeter } from '../domain/peaks.ts'
import { withBytes } from '../file-bytes.ts'
import { decode } from './decode.ts'

export interface AnalysisTask {
  readonly file: string
  readonly format: FormatName
  readonly durationMs: number
  readonly channels: number
}

export interface AnalysisResult {
  /** 0 to 1; empty where the format cannot be decoded here. */
  readonly peaks: readonly number[]
  readonly loudnessLufs: number | null
}

/** About a third of the processor beside requests; with less, a long file would time out under load. */
export const ANALYSIS_NICENESS = 5
/** A frame or page of it is decoded at a time; of MP3 and WAV this much, which at most becomes 200 times as much. */
const CHUNK_BYTES = 16 * 1024
const PARTS = 300

/** Decodes the file. Errors: the decoder's; more sound than the limits allow, whatever the file announced. */
export async function analyzeFile({
  file,
  format,
  durationMs,
  channels,
}: AnalysisTask): Promise<AnalysisResult> {
  let meters: { loudness: LoudnessMeter; peaks: PeakMeter } | undefined
  let decodedMs = 0
  const start = await withBytes(file, skipLeadingTags)
  for await (const { channelData, sampleRate, samplesDecoded } of decode(
    format,
    createReadStream(file, { start, highWaterMark: CHUNK_BYTES }) as AsyncIterable<Buffer>,
  )) {
    decodedMs += (samplesDecoded / sampleRate) * 1000
    const excess = excessOf({ durationMs: decodedMs, sampleRate, channels: channelData.length })
    if (excess) throw new Error(excess)
    meters ??= {
      loudness: createLoudnessMeter(sampleRate, Math.min(channels, channelData.length)),
      peaks: createPeakMeter(Math.max(1, Math.round((durationMs * sampleRate) / 1000)), PARTS),
    }
    // the MP3 decoder gives a single channel twice, and twice would count as louder
    const given = channelData.slice(0, channels)
    meters.loudness.add(given)
    meters.peaks.add(given)
  }
  return { peaks: meters?.peaks.peaks() ?? [], loudnessLufs: meters?.loudness.integrated() ?? null }
}
