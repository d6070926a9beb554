import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { VersionsAnalyzed } from '@prelude/contracts'
import { type BlobStore, type Database, type Job, type Logger, newId } from '@prelude/platform'
import { analyzeFile, type AnalysisResult } from '../analysis/analyze-file.ts'
import { type Format, formatNamed } from '../domain/audio/format.ts'
import type { Staging } from '../staging.ts'
import { type Analysis, type QueuedAnalysis, recordAnalysis, retryIn, takeDue } from '../store/analysis.ts'
import { type Audio, type NamedAudio, takesOf } from '../store/audio.ts'

const EVERY_MS = 2_000
/** Longer than the analysis of two files may take. */
const LEASE_MS = 5 * 60 * 1000
const FIRST_RETRY_MS = 1_000
const LONGEST_RETRY_MS = 5 * 60 * 1000

interface Deps {
  readonly db: Database
  readonly blobs: BlobStore
  readonly staging: Staging
  readonly logger: Logger
}

/** Waveforms and loudness of what was fulfilled or replaced, one song after the other. */
export const analyzeVersions = (deps: Deps): Job => ({
  name: 'analyze-versions',
  everyMs: EVERY_MS,
  run: async (signal) => {
    while (!signal.aborted) {
      const queued = await takeDue(deps.db, LEASE_MS)
      if (!queued) return
      await analyzeOne(deps, queued, signal)
    }
  },
})

async function analyzeOne(deps: Deps, queued: QueuedAnalysis, signal: AbortSignal): Promise<void> {
  const { db, logger } = deps
  const { songId, uid, attempts } = queued
  try {
    const takes = await takesOf(db, songId)
    const analyses: Analysis[] = []
    for (const audio of takes.filter(({ isAnalyzed }) => !isAnalyzed))
      analyses.push(await analyzeAudio(deps, audio, signal))
    await db.transaction(async (tx) => {
      if (!(await recordAnalysis(tx, songId, analyses))) throw new Error('a version was replaced meanwhile')
      tx.emit(VersionsAnalyzed, {
        songId,
        uid,
        versions: newest(takes).map(({ path, durationMs, loudnessLufs }) => ({
          durationMs,
          loudnessLufs: (analyses.find((one) => one.path === path) ?? { loudnessLufs }).loudnessLufs,
        })),
      })
    })
  } catch (error) {
    const delayMs = signal.aborted ? 0 : Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** (attempts - 1))
    if (!signal.aborted) logger.warn({ songId, err: error }, 'analysis is tried again')
    await retryIn(db, queued, delayMs)
  }
}

/** Of each version; the takes of a version are in ascending order. */
const newest = (takes: readonly NamedAudio[]): NamedAudio[] =>
  takes.filter(({ version }, i) => version !== takes[i + 1]?.version)

async function analyzeAudio(deps: Deps, audio: Audio, signal: AbortSignal): Promise<Analysis> {
  const { blobs, staging, logger } = deps
  const { path, durationMs, channels } = audio
  const token = newId()
  try {
    const file = join(await staging.openFolder(token), 'audio')
    const object = await blobs.get(path)
    if (!object) throw new Error(`${path} is not there`)
    await pipeline(object, createWriteStream(file), { signal })
    const format = (formatNamed(audio.format) as Format).name
    const result = await analyzeFile({ file, format, durationMs, channels }, signal).catch(
      (error: unknown): AnalysisResult => {
        if (signal.aborted) throw error
        // what cannot be decoded now cannot be decoded later
        logger.warn({ path, err: error }, 'an object could not be decoded')
        return { peaks: [], loudnessLufs: null }
      },
    )
    return { path, ...result }
  } finally {
    await staging.removeFolder(token)
  }
}
