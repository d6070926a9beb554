import { songsApi } from '@prelude/contracts'
import { client, type BlobStore, type Database, type Logger, type ServiceCall } from '@prelude/platform'
import { dismiss, forget, placedUnder, takeOverdue, tokensOf } from './store/audio.ts'
import { endClaim, keepClaim, staleTokens } from './store/claim.ts'
import type { Staging } from './staging.ts'

/** How long after its end a claim that nobody kept or discarded is left alone: its caller may be slow, not dead. */
const GRACE_MS = 5 * 60 * 1000
/** A delete that takes longer has failed. */
const DELETE_MS = 2 * 60 * 1000

export interface Claims {
  /** The song names the objects: they are served from now on. What they replace is deleted after that; nobody waits for it. */
  keep(token: string): Promise<void>
  /**
   * The song did not take the objects: they are removed. Songs is asked first, since its answer may have been lost on the
   * way; while it does not answer they stay, and `settleStale` comes back to them.
   */
  discard(token: string): Promise<void>
  /** Removes what a placement put that no one else can know of yet. Never rejects: `settleStale` does what is left. */
  drop(token: string): Promise<void>
  /** Serves what a song names already though the word to keep it was lost. */
  settleSong(songId: string): Promise<void>
  /** The same for every claim that ran out a while ago; then what nobody names is removed. */
  settleStale(): Promise<void>
  /** What was replaced is deleted. */
  cleared(): Promise<void>
}

export function createClaims(deps: {
  db: Database
  calls: ServiceCall
  blobs: BlobStore
  staging: Staging
  logger: Logger
}): Claims {
  const { db, blobs, staging, logger } = deps
  const songs = client(deps.calls, 'songs', songsApi)

  const deleteObject = async (path: string): Promise<void> => {
    try {
      await blobs.delete(path)
      await forget(db, path)
    } catch (error) {
      logger.warn({ path, err: error }, 'an object that nobody needs stays until the next round')
    }
  }

  const clearing = new Set<Promise<unknown>>()
  const keep = async (token: string): Promise<void> => {
    const { replaced, uploads } = await db.transaction((tx) => keepClaim(tx, token))
    for (const upload of uploads) await staging.removeUpload(upload)
    const cleared = Promise.all(replaced.map(deleteObject))
    clearing.add(cleared)
    void cleared.finally(() => clearing.delete(cleared))
  }

  const remove = async (token: string): Promise<void> => {
    const paths = await db.transaction(async (tx) => {
      const paths = await dismiss(tx, token)
      await endClaim(tx, token)
      return paths
    })
    for (const path of paths) await deleteObject(path)
  }

  const isNamed = async (token: string): Promise<boolean> => {
    const paths = (await placedUnder(db, token)).map(({ path }) => path)
    if (paths.length === 0) return false
    const named = await songs.namedPaths({ body: { paths } })
    return named.paths.length > 0
  }

  const settle = async (token: string): Promise<void> =>
    (await isNamed(token)) ? keep(token) : remove(token)

  return {
    keep,
    drop: async (token) => {
      try {
        await remove(token)
      } catch (error) {
        logger.warn({ err: error }, 'what a failed placement put stays until the next round')
      }
    },
    discard: async (token) => {
      try {
        await settle(token)
      } catch (error) {
        logger.warn({ err: error }, 'a discarded claim waits until songs answers')
      }
    },
    settleSong: async (songId) => {
      for (const token of await tokensOf(db, songId)) if (await isNamed(token)) await keep(token)
    },
    settleStale: async () => {
      for (const token of await staleTokens(db, GRACE_MS)) await settle(token)
      for (const path of await takeOverdue(db, DELETE_MS)) await deleteObject(path)
    },
    cleared: async () => {
      await Promise.all(clearing)
    },
  }
}
