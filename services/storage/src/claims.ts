import { songsApi } from '@prelude/contracts'
import { client, type BlobStore, type Database, type Logger, type ServiceCall } from '@prelude/platform'
import { dismiss, forget, placedUnder, takeOverdue, tokensOf } from './store/audio.ts'
import { endClaim, keepClaim, staleTokens } from './store/claim.ts'
import type { Staging } from './staging.ts'

/** Grace after the end of a claim that was neither kept nor discarded: its caller may be slow, not dead. */
const GRACE_MS = 5 * 60 * 1000
/** A delete that takes longer has failed. */
const DELETE_MS = 2 * 60 * 1000

/**
 * The life of a claim: `place-audio.ts` takes and extends it while it places objects; then the gateway keeps it (the song names
 * its objects) or discards it. A claim that is neither is settled: kept when songs names one of its objects, else removed.
 */
export interface Claims {
  /** The song names the objects: they are served from now on. The replaced objects are deleted in the background. */
  keep(token: string): Promise<void>
  /**
   * The song was not fulfilled with the objects: they are deleted, unless songs names them all the same (its answer to the
   * gateway may have been lost). While songs does not answer they stay, for `settleStale`.
   */
  discard(token: string): Promise<void>
  /** Deletes the objects of a placement whose paths no caller has received. Never rejects: `settleStale` retries. */
  drop(token: string): Promise<void>
  /** Recovers a lost `keep`: serves objects that the song names already. */
  settleSong(songId: string): Promise<void>
  /** Settles every claim that expired some time ago: its objects are served when the song names them, else deleted. */
  settleStale(): Promise<void>
  /** Resolves when the objects replaced so far are deleted. */
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
      logger.warn({ path, err: error }, 'an unused object stays until the next round')
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
        logger.warn({ err: error }, 'the objects of a failed placement stay until the next round')
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
