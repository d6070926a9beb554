import { songsApi } from '@prelude/contracts'
import { client, type Clock, type Database, type Job, type Logger, type ServiceCall } from '@prelude/platform'
import { PREFIXES } from '../domain/file-name.ts'
import type { Staging } from '../staging.ts'
import { dismissPlaced, dismissUnrecorded, findUnnamed, recordedPaths } from '../store/audio.ts'
import type { BlobStore } from '../blobs/index.ts'

const EVERY_MS = 60 * 60 * 1000
const MIN_AGE_MS = 24 * 60 * 60 * 1000
const BATCH = 200

/**
 * Removes what crashes and lost calls left: staged files and objects of 24 hours ago. An object goes only when songs has
 * answered that no song names it. Later than the answer none will: songs takes no object that was placed over an hour ago.
 */
export function sweep(deps: {
  db: Database
  clock: Clock
  calls: ServiceCall
  blobs: BlobStore
  staging: Staging
  logger: Logger
}): Job {
  const { db, clock, blobs, staging, logger } = deps
  const songs = client(deps.calls, 'songs', songsApi)

  /** Errors: Unavailable while songs does not answer in time. */
  const unnamed = async (paths: readonly string[]): Promise<string[]> => {
    if (paths.length === 0) return []
    const named = new Set((await songs.namedPaths({ body: { paths: [...paths] } })).paths)
    const gone = paths.filter((path) => !named.has(path))
    if (gone.length > 0) logger.info({ paths: gone }, 'objects that no song names are removed')
    return gone
  }
  const sweepUnrecorded = async (paths: readonly string[]): Promise<void> => {
    const recorded = new Set(await recordedPaths(db, paths))
    const gone = await unnamed(paths.filter((path) => !recorded.has(path)))
    await dismissUnrecorded(db, gone, await clock.databaseNow(db))
  }

  return {
    name: 'sweep',
    everyMs: EVERY_MS,
    run: async (signal) => {
      // files have the time of this machine, or of the store; rows that of the database
      const now = await clock.databaseNow(db)
      const before = clock.now() - MIN_AGE_MS
      await staging.removeOlderThan(before)
      const placed = await findUnnamed(db, now - MIN_AGE_MS)
      const gone = new Set(await unnamed(placed.map(({ path }) => path)))
      await dismissPlaced(
        db,
        placed.filter(({ path }) => gone.has(path)).map(({ id }) => id),
        now,
      )
      let batch: string[] = []
      for (const prefix of PREFIXES)
        for await (const { path, modifiedAt } of blobs.list(prefix)) {
          if (signal.aborted) return
          if (modifiedAt > before) continue
          batch.push(path)
          if (batch.length < BATCH) continue
          await sweepUnrecorded(batch)
          batch = []
        }
      await sweepUnrecorded(batch)
    },
  }
}
