import { createReadStream } from 'node:fs'
import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { createLoudnessMeter, type LoudnessMeter } from '../domain/loudness.ts'
import { createPeakMeter, type PeakMeter } from '../domain/peaks.ts'
import { ANALYSIS_PRIORITY, type AnalysisResult, type AnalysisTask } from './analyze-file.ts'
import { decode } from './decode.ts'

const CHUNK_BYTES = 128 * 1024
const PARTS = 300

/** A thread of its own: decoding a song takes seconds of pure computing. */
async function analyze({ file, format, durationMs, channels }: AnalysisTask): Promise<AnalysisResult> {
  let meters: { loudness: LoudnessMeter; peaks: PeakMeter } | undefined
  for await (const { channelData, sampleRate } of decode(
    format,
    createReadStream(file, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Buffer>,
  )) {
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

// on Linux a priority is a thread's own, elsewhere it would be the whole process's
if (process.platform === 'linux') setPriority(ANALYSIS_PRIORITY)
parentPort?.postMessage(await analyze(workerData as AnalysisTask))
