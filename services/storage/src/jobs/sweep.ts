import { songsApi } from '@prelude/contracts'
import {
  type BlobStore,
  client,
  type Database,
  type Job,
  type Logger,
  type ServiceCall,
} from '@prelude/platform'
import type { Staging } from '../staging.ts'
import { forget, heldPaths } from '../store/audio.ts'

const EVERY_MS = 60 * 60 * 1000
const MIN_AGE_MS = 24 * 60 * 60 * 1000
const BATCH = 200

/**
 * Removes what crashes left: staged files and objects that have not been touched for 24 hours. An object goes only when
 * songs has answered that no song names it.
 */
export function sweep(deps: {
  db: Database
  calls: ServiceCall
  blobs: BlobStore
  staging: Staging
  logger: Logger
}): Job {
  const { db, blobs, staging, logger } = deps
  const songs = client(deps.calls, 'songs', songsApi)

  const sweepBatch = async (paths: readonly string[]): Promise<void> => {
    const held = new Set(await heldPaths(db, paths))
    const candidates = paths.filter((path) => !held.has(path))
    if (candidates.length === 0) return
    const named = new Set((await songs.namedPaths({ body: { paths: candidates } })).paths)
    for (const path of candidates) {
      // a placement may have come to the same path while songs was asked
      if (named.has(path) || (await heldPaths(db, [path])).length > 0) continue
      await blobs.delete(path)
      await forget(db, path)
      logger.info({ path }, 'an object that no song names was removed')
    }
  }

  return {
    name: 'sweep',
    everyMs: EVERY_MS,
    run: async (signal) => {
      await staging.removeOlderThan(MIN_AGE_MS)
      let batch: string[] = []
      for await (const { path, modifiedAt } of blobs.list('songs/')) {
        if (signal.aborted) return
        if (modifiedAt > Date.now() - MIN_AGE_MS) continue
        batch.push(path)
        if (batch.length < BATCH) continue
        await sweepBatch(batch)
        batch = []
      }
      await sweepBatch(batch)
    },
  }
}
