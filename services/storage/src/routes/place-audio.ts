import multipart from '@fastify/multipart'
import { type BodyOf, MAX_AUDIO_BYTES, Placed, storageApi } from '@prelude/contracts'
import { AppError, type RouteContext } from '@prelude/platform'
import type { FastifyInstance } from 'fastify'
import type { PlaceAudio } from '../place-audio.ts'
import type { StagedFile, Staging } from '../staging.ts'
import { readParts } from './read-parts.ts'
import { readToEnd } from './read-to-end.ts'

const BOTH = ['version1', 'version2'] as const

/** `POST /songs/:songId/placements` and `POST /songs/:songId/versions/:n/placements`, both multipart. */
export async function registerPlacements(
  app: FastifyInstance,
  place: PlaceAudio,
  staging: Staging,
  onBytes: (bytes: number) => void,
): Promise<void> {
  await app.register(async (scope) => {
    await scope.register(multipart, {
      throwFileSizeLimit: false,
      limits: { fileSize: MAX_AUDIO_BYTES, fieldSize: 64 * 1024, fields: 100, files: 100, parts: 200 },
    })
    scope.addHook('onError', (request) => readToEnd(request.raw))
    const schema = { response: { 200: Placed } }

    scope.post<{ Params: { songId: string } }>('/songs/:songId/placements', { schema }, async (request) =>
      place({
        songId: request.params.songId,
        versions: [1, 2],
        stage: async (folder, signal) => {
          const files = await readParts(request, BOTH, { stage: staging.stage, folder, onBytes, signal })
          if (!files) throw new AppError('both_versions_required')
          return files
        },
      }),
    )

    scope.post<{ Params: { songId: string; n: string } }>(
      '/songs/:songId/versions/:n/placements',
      { schema },
      async (request) =>
        place({
          songId: request.params.songId,
          versions: [versionOf(request.params.n)],
          stage: async (folder, signal) => {
            const files = await readParts(request, ['file'], {
              stage: staging.stage,
              folder,
              onBytes,
              signal,
            })
            if (!files) throw new AppError('file_required')
            return files
          },
        }),
    )
  })
}

/** Errors: song_not_found for any other than 1 or 2. */
export function versionOf(n: string | undefined): 1 | 2 {
  if (n !== '1' && n !== '2') throw new AppError('song_not_found')
  return n === '1' ? 1 : 2
}

type PlaceUploads = typeof storageApi.placeUploads

/** The same from finished resumable uploads, which stay usable when it fails. */
export const placeUploads =
  (place: PlaceAudio, staging: Staging) =>
  ({ params, body }: RouteContext<PlaceUploads>): Promise<Placed> => {
    const { version1, version2 }: BodyOf<PlaceUploads> = body
    return place({
      songId: params['songId'] as string,
      versions: [1, 2],
      uploads: [version1, version2],
      stage: async (_folder, signal) => {
        const files: StagedFile[] = []
        for (const id of [version1, version2]) files.push(await staging.finishedUpload(id, signal))
        if (files.some(({ sizeBytes }) => sizeBytes === 0)) throw new AppError('both_versions_required')
        return files
      },
    })
  }
