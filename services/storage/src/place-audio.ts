import { randomBytes } from 'node:crypto'
import type { Placed } from '@prelude/contracts'
import { AppError, type BlobStore, type Database, newId } from '@prelude/platform'
import type { Claims } from './claims.ts'
import { markedName, objectPath, originalName, safeName } from './domain/file-name.ts'
import { judgeAudio, type JudgedAudio } from './judge-audio.ts'
import type { StagedFile, Staging } from './staging.ts'
import { type Audio, insertPlaced } from './store/audio.ts'
import { extendClaim, takeClaim } from './store/claim.ts'

const PATH_TRIES = 5

export interface Placement {
  readonly songId: string
  /** The versions that the staged files are, in this order. */
  readonly versions: readonly number[]
  /** Finished uploads that are placed: removed once the claim is kept. */
  readonly uploads?: readonly string[]
  /** Brings the files into the folder. Called under the claim, so that of two placements only one reads its files. */
  readonly stage: (folder: string, signal: AbortSignal) => Promise<readonly StagedFile[]>
}

export type PlaceAudio = (placement: Placement) => Promise<Placed>

/**
 * Stages, judges and puts the files of one or both versions under a claim on the song. All or nothing: when anything
 * fails, what this call staged and put is gone and the claim is free.
 * Errors: fulfilment_in_progress, what `stage` throws, not_audio, upload_failed.
 */
export function createPlaceAudio(deps: {
  db: Database
  blobs: BlobStore
  staging: Staging
  claims: Claims
  claimTtlMs: number
}): PlaceAudio {
  const { db, blobs, staging, claims, claimTtlMs } = deps
  return async ({ songId, versions, uploads = [], stage }) => {
    const token = newId()
    if (!(await takeClaim(db, { songId, token, ttlMs: claimTtlMs, uploads })))
      throw new AppError('fulfilment_in_progress')
    const hold = holdClaim(db, token, claimTtlMs)
    try {
      const files = await stage(await staging.openFolder(token), hold.signal)
      const judged = await Promise.all(files.map(({ file }) => judgeAudio(file)))
      const audios = await db.transaction(async (tx) => {
        const placed: Audio[] = []
        for (const [i, file] of files.entries()) {
          const audio = asAudio(songId, versions[i] as number, file, judged[i] as JudgedAudio)
          placed.push(await reserve(audio, (candidate) => insertPlaced(tx, candidate, token)))
        }
        return placed
      })
      const limit = AbortSignal.any([hold.signal, AbortSignal.timeout(claimTtlMs * 0.75)])
      for (const [i, audio] of audios.entries()) {
        const { contentType } = (judged[i] as JudgedAudio).format
        await put(blobs, audio, (files[i] as StagedFile).file, contentType, limit)
      }
      hold.release()
      if (!(await extendClaim(db, token, claimTtlMs))) throw new Error('the claim was lost')
      return { claim: token, paths: audios.map(({ path }) => path) }
    } catch (error) {
      hold.release()
      await claims.drop(token)
      throw error instanceof AppError ? error : new AppError('upload_failed', { cause: error })
    } finally {
      await staging.removeFolder(token)
    }
  }
}

const asAudio = (songId: string, version: number, file: StagedFile, judged: JudgedAudio): Audio => {
  const name = originalName(file.givenName)
  return {
    path: objectPath(songId, version, safeName(name, judged.format)),
    songId,
    version,
    originalName: name,
    format: judged.format.name,
    sizeBytes: file.sizeBytes,
    sha256: file.sha256,
    durationMs: judged.durationMs,
    bitrate: judged.bitrate,
    channels: judged.channels,
  }
}

/** A path that another object has (the version that still serves, say) is marked. */
async function reserve(audio: Audio, insert: (audio: Audio) => Promise<boolean>): Promise<Audio> {
  if (await insert(audio)) return audio
  const name = audio.path.slice(objectPath(audio.songId, audio.version, '').length)
  for (let i = 0; i < PATH_TRIES; i++) {
    const mark = randomBytes(3).toString('hex')
    const marked = { ...audio, path: objectPath(audio.songId, audio.version, markedName(name, mark)) }
    if (await insert(marked)) return marked
  }
  throw new Error(`no free path beside ${audio.path}`)
}

/** Rejects when the limit passes even if the store does not notice. */
async function put(
  blobs: BlobStore,
  { path, sizeBytes }: Audio,
  file: string,
  contentType: string,
  limit: AbortSignal,
): Promise<void> {
  const passed = Promise.withResolvers<never>()
  const onPassed = () => passed.reject(limit.reason as Error)
  limit.addEventListener('abort', onPassed, { once: true })
  try {
    limit.throwIfAborted()
    await Promise.race([blobs.putFile(path, file, { sizeBytes, contentType, signal: limit }), passed.promise])
  } finally {
    limit.removeEventListener('abort', onPassed)
  }
}

/** Keeps the claim alive while files come in slowly; its signal aborts when the claim is lost or cannot be renewed in time. */
function holdClaim(db: Database, token: string, ttlMs: number): { signal: AbortSignal; release(): void } {
  const lost = new AbortController()
  let renewedAt = performance.now()
  const timer = setInterval(() => {
    const askedAt = performance.now()
    extendClaim(db, token, ttlMs)
      .then((ours) => {
        if (ours) renewedAt = askedAt
        else lost.abort(new Error('the claim was lost'))
      })
      .catch((error: unknown) => {
        if (performance.now() - renewedAt > ttlMs * 0.75) lost.abort(error)
      })
  }, ttlMs / 4)
  return { signal: lost.signal, release: () => clearInterval(timer) }
}
