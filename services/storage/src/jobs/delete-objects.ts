import type { Clock, Database, Job, Logger } from '@prelude/platform'
import { DELETE_AGAIN_MS, deleteObject } from '../delete-object.ts'
import { leaseLeaving } from '../store/audio.ts'
import type { BlobStore } from '../blobs/index.ts'

const EVERY_MS = 5_000
/** Few enough to be deleted within the lease. */
const BATCH = 20

/** Deletes the objects that were replaced, refused, erased or never named. */
export const deleteObjects = (deps: {
  db: Database
  clock: Clock
  blobs: BlobStore
  logger: Logger
}): Job => ({
  name: 'delete-objects',
  everyMs: EVERY_MS,
  run: async (signal) => {
    let paths: string[]
    do {
      const now = await deps.clock.databaseNow(deps.db)
      paths = await leaseLeaving(deps.db, { now, leaseMs: DELETE_AGAIN_MS, limit: BATCH })
      for (const path of paths) {
        if (signal.aborted) return
        await deleteObject(deps, path)
      }
    } while (paths.length === BATCH && !signal.aborted)
  },
})
