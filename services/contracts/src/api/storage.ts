import { type Static, Type } from 'typebox'
import type { Code } from '../codes.ts'
import { Made } from './made.ts'
import { defineApi, Nullable, Time } from './operation.ts'

export const VersionNumber = Type.Unsafe<1 | 2>(Type.Integer({ minimum: 1, maximum: 2 }))

export const Waveform = Type.Object({
  durationMs: Type.Integer(),
  peaks: Type.Array(Type.Number({ minimum: 0, maximum: 1 })),
  loudnessLufs: Nullable(Type.Number()),
})
export type Waveform = Static<typeof Waveform>

/**
 * An object that storage judged, hashed and stored; it stays when songs makes it a take. Events name it by its id: a path holds
 * a file's name.
 */
export const PlacedObject = Type.Object({
  id: Type.String(),
  path: Type.String(),
  contentType: Type.String(),
  sizeBytes: Type.Integer(),
  sha256: Type.String(),
  durationMs: Type.Integer(),
  placedAt: Time,
  /** As the operator said of the file. */
  made: Type.Optional(Nullable(Made)),
})
export type PlacedObject = Static<typeof PlacedObject>

/** One object for each version that was sent, and which version each is. */
export const Placed = Type.Object({
  objects: Type.Array(PlacedObject),
  versions: Type.Array(VersionNumber),
})
export type Placed = Static<typeof Placed>

/**
 * Storage stores objects and streams them by their paths; songs decides which path is which take of a version.
 *
 * Storage also answers, as streams outside this table:
 * `POST /songs/:songId/placements` (multipart: version1+version2, made), `POST /songs/:songId/placements/some` (one or both) and
 * `POST /songs/:songId/versions/:n/placements` (multipart: file, made) → `Placed`; `GET|HEAD /audio?path=` with range and condition headers, for saving with `&download=1` and
 * `&beside=` the path of the other version or `&title=`; `POST /zip` `{songId, paths, lyrics, style, title, brief?, made?, certificate?}` → a ZIP; `/uploads` and
 * `/uploads/:id` (tus 1.0).
 * Errors: both_versions_required, version_required, file_required, invalid_request, file_too_large, not_audio, fulfilment_in_progress,
 * upload_failed, request_timeout; unavailable for a path whose object is not there.
 */
export const storageApi = defineApi({
  /** The same as the multipart placement, from finished resumable uploads. Errors: upload_not_found, upload_not_finished and those above. */
  placeUploads: {
    method: 'POST',
    path: '/songs/:songId/placements/from-uploads',
    body: Type.Object({
      version1: Type.Optional(Type.String()),
      version2: Type.Optional(Type.String()),
      /** How many of them must have bytes; both unless given. */
      least: Type.Optional(Type.Union([Type.Literal(1), Type.Literal(2)])),
      /** As it was sent. */
      made: Type.Optional(Type.Unknown()),
    }),
    reply: Placed,
  },
  /** Errors: waveform_not_ready. */
  waveform: {
    method: 'GET',
    path: '/waveform',
    reads: true,
    query: Type.Object({ path: Type.String() }),
    reply: Waveform,
  },
})

/** The code of a refused upload: tus defines only statuses. */
export function uploadCode(status: number): Code {
  if (status === 404 || status === 410) return 'upload_not_found'
  if (status === 413) return 'file_too_large'
  if (status === 415) return 'unsupported_media_type'
  if (status === 503) return 'unavailable'
  return status >= 500 ? 'upload_failed' : 'invalid_request'
}
