import multipart from '@fastify/multipart'
import { MAX_AUDIO_BYTES, Placed } from '@prelude/contracts'
import { AppError } from '@prelude/platform'
import type { FastifyPluginAsync } from 'fastify'
import type { PlaceAudio } from '../place-audio.ts'
import type { Staging } from '../staging.ts'
import { readParts } from './read-parts.ts'
import { readToEnd } from './read-to-end.ts'
import { versionOf } from './version-of.ts'

const LIMITS = { fileSize: MAX_AUDIO_BYTES, fieldSize: 64 * 1024, fields: 100, files: 100, parts: 200 }

/** `POST /songs/:songId/placements` and `POST /songs/:songId/versions/:n/placements`, both multipart. */
export const placeForms =
  (
    place: PlaceAudio,
    { stage }: Staging,
    options: { onBytes: (bytes: number) => void; silenceMs: number },
  ): FastifyPluginAsync =>
  async (app) => {
    await app.register(multipart, { throwFileSizeLimit: false, limits: LIMITS })
    app.addHook('onError', (request) => readToEnd(request.raw))
    const schema = { response: { 200: Placed } }

    app.post<{ Params: { songId: string } }>('/songs/:songId/placements', { schema }, async (request) =>
      place({
        songId: request.params.songId,
        versions: [1, 2],
        stage: async (folder) => {
          const files = await readParts(request, ['version1', 'version2'], { stage, folder, ...options })
          if (!files) throw new AppError('both_versions_required')
          return files
        },
      }),
    )

    app.post<{ Params: { songId: string; n: string } }>(
      '/songs/:songId/versions/:n/placements',
      { schema },
      async (request) =>
        place({
          songId: request.params.songId,
          versions: [versionOf(request.params.n)],
          stage: async (folder) => {
            const files = await readParts(request, ['file'], { stage, folder, ...options })
            if (!files) throw new AppError('file_required')
            return files
          },
        }),
    )
  }
