import { type Code, type Placed, readMadeOf, type storageApi } from '@prelude/contracts'
import { AppError, type RouteContext } from '@prelude/platform'
import type { PlaceAudio } from '../place-audio.ts'
import type { StagedFile, Staging } from '../staging.ts'
import { madeRefused } from './read-parts.ts'

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
        const files: { version: 1 | 2; file: StagedFile }[] = []
        for (const [version, id] of [[1, version1] as const, [2, version2] as const]) {
          const file = id === undefined ? null : await staging.finishedUpload(id)
          if (file && file.sizeBytes > 0) files.push({ version, file })
        }
        if (files.length < least) throw new AppError(missingOf(least))
        const said = readMadeOf(
          made,
          files.map(({ version }) => version),
        )
        if (typeof said === 'string') throw madeRefused(said)
        return files.map((one) => ({ ...one, made: said[one.version] ?? null }))
      },
    })
