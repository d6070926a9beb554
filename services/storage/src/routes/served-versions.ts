import { type BlobStore, type Database, type Logger, Unavailable } from '@prelude/platform'
import type { Claims } from '../claims.ts'
import { type Format, formatNamed } from '../domain/audio/format.ts'
import { downloadName } from '../domain/file-name.ts'
import { type Audio, currentVersions } from '../store/audio.ts'

export interface StreamDeps {
  readonly db: Database
  readonly blobs: BlobStore
  readonly claims: Claims
  readonly logger: Logger
}

/** The served versions of a song. When they are not two, perhaps the call that keeps a claim was lost: it is settled first. */
export async function servedVersions({ db, claims }: StreamDeps, songId: string): Promise<Audio[]> {
  const versions = await currentVersions(db, songId)
  if (versions.length === 2) return versions
  await claims.settleSong(songId)
  return currentVersions(db, songId)
}

export const nameOf = (audio: Audio, versions: readonly Audio[]) => {
  const named = (one: Audio) => ({
    originalName: one.originalName,
    format: formatNamed(one.format) as Format,
  })
  const other = versions.find(({ version }) => version !== audio.version)
  return downloadName(audio.version, named(audio), other && named(other))
}

export const unavailable = (error: unknown): never => {
  throw new Unavailable('the object store', error)
}
