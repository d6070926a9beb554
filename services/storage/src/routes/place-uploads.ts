import type { Code, Placed, storageApi } from '@prelude/contracts'
import { AppError, type RouteContext } from '@prelude/platform'
import type { PlaceAudio, StagedVersion } from '../place-audio.ts'
import type { Staging } from '../staging.ts'

/** The refusal where fewer versions came than must. */
export const missingOf = (least: 1 | 2): Code => (least === 2 ? 'both_versions_required' : 'version_required')

/** Places finished resumable uploads, which stay usable when it fails. */
export const placeUploads =
  (place: PlaceAudio, staging: Staging) =>
  ({
    params: { songId = '' },
    body: { version1, version2, least = 2, made = {} },
  }: RouteContext<typeof storageApi.placeUploads>): Promise<Placed> =>
    place({
      songId,
      stage: async () => {
        const files: StagedVersion[] = []
        for (const [version, id] of [[1, version1] as const, [2, version2] as const]) {
          const file = id === undefined ? null : await staging.finishedUpload(id)
          if (file && file.sizeBytes > 0) files.push({ version, file, made: made[version] ?? null })
        }
        if (files.length < least) throw new AppError(missingOf(least))
        return files
      },
    })
