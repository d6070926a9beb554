import multipart from '@fastify/multipart'
import { MAX_AUDIO_BYTES, Placed } from '@prelude/contracts'
import { AppError } from '@prelude/platform'
import type { FastifyPluginAsync } from 'fastify'
import type { PlaceAudio, StagedVersion } from '../place-audio.ts'
import type { StagedFile, Staging } from '../staging.ts'
import { readParts } from './read-parts.ts'
import { readToEnd } from './read-to-end.ts'
import { versionOf } from './version-of.ts'

const LIMITS = { fileSize: MAX_AUDIO_BYTES, fieldSize: 64 * 1024, fields: 100, files: 100, parts: 200 }
const NAMES = { 1: 'version1', 2: 'version2' } as const

interface OfSong {
  Params: { songId: string }
}

/** Multipart: `POST /songs/:songId/placements`, the same with `/some`, and `POST /songs/:songId/versions/:n/placements`. */
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

    app.post<OfSong>('/songs/:songId/placements', { schema }, async (request) =>
      place({
        songId: request.params.songId,
        stage: async (folder) => {
          const files = versionsIn(
            await readParts(request, Object.values(NAMES), { stage, folder, ...options }),
          )
          if (files.length < 2) throw new AppError('both_versions_required')
          return files
        },
      }),
    )

    app.post<OfSong>('/songs/:songId/placements/some', { schema }, async (request) =>
      place({
        songId: request.params.songId,
        stage: async (folder) => {
          const files = versionsIn(
            await readParts(request, Object.values(NAMES), { stage, folder, ...options }),
          )
          if (files.length === 0) throw new AppError('version_required')
          return files
        },
      }),
    )

    app.post<{ Params: { songId: string; n: string } }>(
      '/songs/:songId/versions/:n/placements',
      { schema },
      async (request) => {
        const version = versionOf(request.params.n)
        return place({
          songId: request.params.songId,
          stage: async (folder) => {
            const file = (await readParts(request, ['file'], { stage, folder, ...options })).get('file')
            if (!file) throw new AppError('file_required')
            return [{ version, file }]
          },
        })
      },
    )
  }

const versionsIn = (files: ReadonlyMap<string, StagedFile>): StagedVersion[] =>
  ([1, 2] as const).flatMap((version) => {
    const file = files.get(NAMES[version])
    return file ? [{ version, file }] : []
  })
