import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { VersionsAnalyzed } from '@prelude/contracts'
import { type Clock, type Database, type Job, type Logger, newId } from '@prelude/platform'
import type { AnalysisResult } from '../analysis/analyze-file.ts'
import type { AudioProcess } from '../audio-process/audio-process.ts'
import { type Format, formatNamed } from '../domain/audio/format.ts'
import type { Staging } from '../staging.ts'
import {
  type Analysis,
  countAttempt,
  type QueuedAnalysis,
  recordAnalysis,
  retryAt,
  leaseDue,
  uncountAttempt,
} from '../store/analysis.ts'
import { type Audio, type NamedAudio, takesOf } from '../store/audio.ts'
import type { BlobStore } from '../blobs/index.ts'

const EVERY_MS = 2_000
/** Longer than the analysis of two files may take. */
const LEASE_MS = 5 * 60 * 1000
/** A store that stops in the middle of an object must not stop this job, which does one after the other. */
const DOWNLOAD_WITHIN_MS = 2 * 60 * 1000
const FIRST_RETRY_MS = 1_000
const LONGEST_RETRY_MS = 5 * 60 * 1000
/** A machine under load may need another, but no file is tried for ever. */
const MAX_ATTEMPTS = 3
const NO_WAVEFORM: AnalysisResult = { peaks: [], loudnessLufs: null }

interface Deps {
  readonly db: Database
  readonly clock: Clock
  readonly blobs: BlobStore
  readonly staging: Staging
  readonly logger: Logger
  readonly analyze: AudioProcess['analyze']
}

/** Waveforms and loudness of what was fulfilled or replaced, one song after the other. */
export const analyzeVersions = (deps: Deps): Job => ({
  name: 'analyze-versions',
  everyMs: EVERY_MS,
  run: async (signal) => {
    while (!signal.aborted) {
      const now = await deps.clock.databaseNow(deps.db)
      const queued = await leaseDue(deps.db, { now, leaseMs: LEASE_MS })
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
    const failures: unknown[] = []
    for (const audio of takes.filter(({ isAnalyzed }) => !isAnalyzed)) {
      const result = await analyzeAudio(deps, audio, signal).catch(
        (error: unknown) => void failures.push(error),
      )
      signal.throwIfAborted()
      if (result) analyses.push(result)
    }
    if (failures.length > 0) throw failures[0]
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
    await retryAt(db, queued, (await deps.clock.databaseNow(db)) + delayMs)
  }
}

/** Of each version; the takes of a version are in ascending order. */
const newest = (takes: readonly NamedAudio[]): NamedAudio[] =>
  takes.filter(({ version }, i) => version !== takes[i + 1]?.version)

async function analyzeAudio(deps: Deps, audio: Audio, signal: AbortSignal): Promise<Analysis> {
  const { db, blobs, staging, logger, analyze } = deps
  const { path, durationMs, channels } = audio
  const token = newId()
  try {
    const file = join(await staging.openFolder(token), 'audio')
    const object = await blobs.get(path)
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(DOWNLOAD_WITHIN_MS)])
    if (object) await pipeline(object, createWriteStream(file), { signal: inTime })
    const format = (formatNamed(audio.format) as Format).name
    // counted before it begins, since decoding may be what ends this process
    const attempts = await countAttempt(db, path)
    if (attempts > MAX_ATTEMPTS) return { path, ...NO_WAVEFORM }
    try {
      if (!object) throw new Error(`${path} is not there`)
      const result = await analyze({ file, format, durationMs, channels }, signal)
      await uncountAttempt(db, path)
      return { path, ...result }
    } catch (error) {
      if (signal.aborted) await uncountAttempt(db, path)
      if (signal.aborted || attempts < MAX_ATTEMPTS) throw error
      logger.warn({ path, err: error }, 'an object could not be analysed')
      return { path, ...NO_WAVEFORM }
    }
  } finally {
    await staging.removeFolder(token)
  }
}
