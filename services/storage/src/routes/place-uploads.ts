import type { Placed, storageApi } from '@prelude/contracts'
import { AppError, type RouteContext } from '@prelude/platform'
import type { PlaceAudio } from '../place-audio.ts'
import type { StagedFile, Staging } from '../staging.ts'

/** Places finished resumable uploads, which stay usable when it fails. */
export const placeUploads =
  (place: PlaceAudio, staging: Staging) =>
  ({
    params: { songId = '' },
    body: { version1, version2 },
  }: RouteContext<typeof storageApi.placeUploads>): Promise<Placed> =>
    place({
      songId,
      versions: [1, 2],
      stage: async () => {
        const files: StagedFile[] = []
        for (const id of [version1, version2]) files.push(await staging.finishedUpload(id))
        if (files.some(({ sizeBytes }) => sizeBytes === 0)) throw new AppError('both_versions_required')
        return files
      },
    })
