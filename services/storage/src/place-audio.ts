import { randomBytes } from 'node:crypto'
import type { Placed } from '@prelude/contracts'
import { AppError, type BlobStore, type Database, newId, within } from '@prelude/platform'
import type { AudioProcess, JudgedAudio } from './audio-process/audio-process.ts'
import type { Claims } from './claims.ts'
import { markedName, objectPath, originalName, safeName } from './domain/file-name.ts'
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
  /** Brings the files into the folder; the signal aborts when another caller holds the song's claim. */
  readonly stage: (folder: string, signal: AbortSignal) => Promise<readonly StagedFile[]>
}

export type PlaceAudio = (placement: Placement) => Promise<Placed>

/**
 * Stages, judges and stores the files of one or both versions under a claim on the song. All or nothing: when a step fails,
 * the staged files and stored objects are deleted and the claim ends.
 * Errors: fulfilment_in_progress, what `stage` throws, not_audio, upload_failed.
 */
export function createPlaceAudio(deps: {
  db: Database
  blobs: BlobStore
  staging: Staging
  claims: Claims
  judge: AudioProcess['judge']
  claimTtlMs: number
}): PlaceAudio {
  const { db, blobs, staging, claims, judge, claimTtlMs } = deps
  return async ({ songId, versions, uploads = [], stage }) => {
    const token = newId()
    const hold = holdClaim(db, token, claimTtlMs)
    // the upload is read while the claim is written; nothing is placed before the claim is ours
    const [claimed, staged] = await Promise.allSettled([
      hold.take(songId, uploads),
      staging.openFolder(token).then((folder) => stage(folder, hold.signal)),
    ])
    if (claimed.status === 'rejected') {
      await staging.removeFolder(token)
      throw claimed.reason
    }
    try {
      if (staged.status === 'rejected') throw staged.reason
      const files = staged.value
      const judged = await Promise.all(files.map(({ file }) => judge(file)))
      const audios = await reserve(
        files.map((file, i) => asAudio(songId, versions[i] as number, file, judged[i] as JudgedAudio)),
        (candidates) => insertPlaced(db, candidates, token),
      )
      const limitMs = claimTtlMs * 0.75
      const signal = AbortSignal.any([hold.signal, AbortSignal.timeout(limitMs)])
      const put = async (): Promise<void> => {
        for (const [i, { path, sizeBytes }] of audios.entries()) {
          signal.throwIfAborted()
          const { contentType } = (judged[i] as JudgedAudio).format
          await blobs.putFile(path, (files[i] as StagedFile).file, { sizeBytes, contentType, signal })
        }
      }
      await within(limitMs, put()) // even if the store ignores the signal
      // the folder is removed before the answer: after a crash, a folder means that no caller received the paths
      const [isOurs] = await Promise.all([extendClaim(db, token, claimTtlMs), staging.removeFolder(token)])
      if (!isOurs) throw new Error('the claim was lost')
      return { claim: token, paths: audios.map(({ path }) => path) }
    } catch (error) {
      hold.release()
      await claims.drop(token)
      await staging.removeFolder(token)
      throw error instanceof AppError ? error : new AppError('upload_failed', { cause: error })
    } finally {
      hold.release()
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

/** A path that another object has (the version served now, say) gets a random suffix. */
async function reserve(
  audios: readonly Audio[],
  insert: (audios: readonly Audio[]) => Promise<ReadonlySet<string>>,
): Promise<Audio[]> {
  const reserved = new Map<number, Audio>()
  let candidates = audios
  for (let i = 0; i <= PATH_TRIES; i++) {
    const inserted = await insert(candidates)
    for (const audio of candidates) if (inserted.has(audio.path)) reserved.set(audio.version, audio)
    const without = audios.filter(({ version }) => !reserved.has(version))
    if (without.length === 0) return audios.map(({ version }) => reserved.get(version) as Audio)
    candidates = without.map(marked)
  }
  throw new Error(`no free path beside ${candidates[0]?.path}`)
}

function marked(audio: Audio): Audio {
  const name = audio.path.slice(objectPath(audio.songId, audio.version, '').length)
  const mark = randomBytes(3).toString('hex')
  return { ...audio, path: objectPath(audio.songId, audio.version, markedName(name, mark)) }
}

interface Hold {
  /** Rejects, and aborts the signal, when another caller holds it. Errors: fulfilment_in_progress. */
  take(songId: string, uploads: readonly string[]): Promise<void>
  /** Aborts when the claim is not ours, is lost or cannot be renewed in time. */
  readonly signal: AbortSignal
  release(): void
}

/** Takes a claim and keeps it alive while files come in slowly. */
function holdClaim(db: Database, token: string, ttlMs: number): Hold {
  const lost = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let renewedAt = performance.now()
  const renew = (): void => {
    const askedAt = performance.now()
    extendClaim(db, token, ttlMs)
      .then((ours) => {
        if (ours) renewedAt = askedAt
        else lost.abort(new Error('the claim was lost'))
      })
      .catch((error: unknown) => {
        if (performance.now() - renewedAt > ttlMs * 0.75) lost.abort(error)
      })
  }
  return {
    take: async (songId, uploads) => {
      try {
        if (!(await takeClaim(db, { songId, token, ttlMs, uploads })))
          throw new AppError('fulfilment_in_progress')
        timer = setInterval(renew, ttlMs / 4)
      } catch (error) {
        lost.abort(error)
        throw error
      }
    },
    signal: lost.signal,
    release: () => clearInterval(timer),
  }
}
