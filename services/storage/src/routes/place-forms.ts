import multipart from '@fastify/multipart'
import { MAX_AUDIO_BYTES, Placed, readMade, readMadeOf } from '@prelude/contracts'
import type { FastifyPluginAsync } from 'fastify'
import type { PlaceAudio } from '../place-audio.ts'
import type { Staging } from '../staging.ts'
import { missingOf } from './place-uploads.ts'
import { readParts } from './read-parts.ts'
import { readToEnd } from './read-to-end.ts'
import { versionOf } from './version-of.ts'

const LIMITS = { fileSize: MAX_AUDIO_BYTES, files: 100 }
const VERSIONS = [1, 2] as const
const NAMES = { 1: 'version1', 2: 'version2' } as const

/** Of both versions, and of one or both. */
const FORMS = [
  { path: '/songs/:songId/placements', least: 2 },
  { path: '/songs/:songId/placements/some', least: 1 },
] as const

interface OfSong {
  Params: { songId: string }
}

/** Multipart: `POST /songs/:songId/placements`, the same with `/some`, and `POST /songs/:songId/versions/:n/placements`. */
export const placeForms =
  (
    place: PlaceAudio,
    { stage }: Staging,
    options: { onBytes: (bytes: number) => void },
  ): FastifyPluginAsync =>
  async (app) => {
    await app.register(multipart, { throwFileSizeLimit: false, limits: LIMITS })
    app.addHook('onError', (request) => readToEnd(request.raw))
    const schema = { response: { 200: Placed } }

    for (const { path, least } of FORMS)
      app.post<OfSong>(path, { schema }, async (request) =>
        place({
          songId: request.params.songId,
          stage: async (folder) => {
            const { files, made = {} } = await readParts(
              request,
              Object.values(NAMES),
              { least, missing: missingOf(least), judge: madeOfVersions },
              { stage, folder, ...options },
            )
            return VERSIONS.flatMap((version) => {
              const file = files.get(NAMES[version])
              return file ? [{ version, file, made: made[version] ?? null }] : []
            })
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
            const wanted = { least: 1, missing: 'file_required', judge: readMade } as const
            const { files, made = null } = await readParts(request, ['file'], wanted, {
              stage,
              folder,
              ...options,
            })
            return [...files.values()].map((file) => ({ version, file, made }))
          },
        })
      },
    )
  }

const madeOfVersions = (sent: unknown, names: ReadonlySet<string>) =>
  readMadeOf(
    sent,
    VERSIONS.filter((version) => names.has(NAMES[version])),
  )
