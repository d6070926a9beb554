import type { Placed, storageApi } from '@prelude/contracts'
import { AppError, type RouteContext } from '@prelude/platform'
import type { PlaceAudio, StagedVersion } from '../place-audio.ts'
import type { Staging } from '../staging.ts'

/** Places finished resumable uploads, which stay usable when it fails. */
export const placeUploads =
  (place: PlaceAudio, staging: Staging) =>
  ({
    params: { songId = '' },
    body: { version1, version2 },
  }: RouteContext<typeof storageApi.placeUploads>): Promise<Placed> =>
    place({
      songId,
      stage: async () => {
        const files: StagedVersion[] = []
        for (const [version, id] of [[1, version1] as const, [2, version2] as const])
          if (id !== undefined) files.push({ version, file: await staging.finishedUpload(id) })
        if (files.some(({ file }) => file.sizeBytes === 0)) throw new AppError('both_versions_required')
        return files
      },
    })
