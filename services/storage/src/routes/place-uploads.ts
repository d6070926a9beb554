import { join } from 'node:path'
import { type Code, readMadeOf, type storageApi } from '@prelude/contracts'
import { AppError, type Database, isId, type RouteHandler, Unavailable } from '@prelude/platform'
import type { BlobStore } from '../blobs/index.ts'
import type { PlaceAudio } from '../place-audio.ts'
import type { StagedFile, Staging } from '../staging.ts'
import { type DraftObject, findDraftObject } from '../store/drafts.ts'
import { formatOf, unavailable } from './find-objects.ts'
import { madeRefused } from './read-parts.ts'

interface Deps {
  readonly db: Database
  readonly blobs: BlobStore
  readonly staging: Staging
  readonly place: PlaceAudio
}

/** The refusal where fewer versions came than must. */
export const missingOf = (least: 1 | 2): Code => (least === 2 ? 'both_versions_required' : 'version_required')

/** Places finished resumable uploads and ready drafts, which stay usable when it fails. A draft says how its file was made. */
export const placeUploads =
  (deps: Deps): RouteHandler<typeof storageApi.placeUploads> =>
  ({ params: { songId = '' }, body: { version1, version2, least = 2, made = {} } }) =>
    deps.place({
      songId,
      stage: async (folder) => {
        const files: (Upload & { version: 1 | 2 })[] = []
        for (const [version, id] of [[1, version1] as const, [2, version2] as const]) {
          const upload = id === undefined ? null : await uploadOf(deps, id, join(folder, `version${version}`))
          if (upload && upload.file.sizeBytes > 0) files.push({ version, ...upload })
        }
        if (files.length < least) throw new AppError(missingOf(least))
        const said = readMadeOf(
          made,
          files.map(({ version }) => version),
        )
        if (typeof said === 'string') throw madeRefused(said)
        return files.map(({ version, file, draft }) => {
          const byDraft = draft && { how: 'ai' as const, with: draft.with }
          const stated = said[version]
          return {
            version,
            file,
            draftId: draft?.id,
            made: stated === undefined ? (byDraft ?? null) : stated,
          }
        })
      },
    })

interface Upload {
  readonly file: StagedFile
  readonly draft: DraftObject | null
}

/** Errors: upload_not_found, upload_not_finished, upload_failed, Unavailable. */
async function uploadOf({ db, blobs, staging }: Deps, id: string, file: string): Promise<Upload> {
  const draft = isId(id) ? await findDraftObject(db, id) : null
  if (!draft) return { file: await staging.finishedUpload(id), draft }
  const bytes = await blobs.get(draft.path).catch(unavailable)
  if (!bytes) throw new Unavailable('the object store', 'a draft is not there')
  return {
    file: await staging.stage(bytes, file, `Draft ${draft.n}.${formatOf(draft).extensions[0]}`),
    draft,
  }
}
