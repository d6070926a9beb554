import type { Database, Logger } from '@prelude/platform'
import { deleteAudio } from './store/audio.ts'
import type { BlobStore } from './blobs/index.ts'

/** A delete that failed, or takes longer, is tried again after this time. */
export const DELETE_AGAIN_MS = 2 * 60 * 1000

/** Deletes an object that is leaving. Never rejects: the job tries again. */
export async function deleteObject(
  { db, blobs, logger }: { db: Database; blobs: BlobStore; logger: Logger },
  path: string,
): Promise<void> {
  try {
    await blobs.delete(path)
    await deleteAudio(db, path)
  } catch (error) {
    logger.warn({ path, err: error }, 'an object that nothing names stays until the next run')
  }
}
