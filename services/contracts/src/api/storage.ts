import { type Static, Type } from 'typebox'
import { defineApi, Empty, Nullable } from './operation.ts'

export const Waveform = Type.Object({
  durationMs: Type.Integer(),
  peaks: Type.Array(Type.Number({ minimum: 0, maximum: 1 })),
  loudnessLufs: Nullable(Type.Number()),
})
export type Waveform = Static<typeof Waveform>

/** Both files lie at their final paths, held by `claim` until it is kept or discarded. */
export const Placed = Type.Object({ claim: Type.String(), paths: Type.Array(Type.String()) })
export type Placed = Static<typeof Placed>

/**
 * Storage also answers, as streams outside this table:
 * `POST /songs/:songId/placements` (multipart: version1+version2) and `POST /songs/:songId/versions/:n/placements`
 * (multipart: file) → `Placed`; `GET|HEAD /songs/:songId/versions/:n/audio` with range and condition headers, `?download=1`;
 * `POST /songs/:songId/zip` `{lyrics, style}` → a ZIP; `/uploads` and `/uploads/:id` (tus 1.0).
 * Errors: both_versions_required, file_required, invalid_request, file_too_large, not_audio, fulfilment_in_progress,
 * upload_failed.
 */
export const storageApi = defineApi({
  /** The same as the multipart placement, from finished resumable uploads. Errors: upload_not_found, upload_not_finished and those above. */
  placeUploads: {
    method: 'POST',
    path: '/songs/:songId/placements/from-uploads',
    body: Type.Object({ version1: Type.String(), version2: Type.String() }),
    reply: Placed,
  },
  /** The song names the objects now: the claim ends; what they replace is deleted. */
  keep: { method: 'POST', path: '/claims/:claim/keep', reply: Empty },
  /** The song did not take them: what this claim put is removed. */
  discard: { method: 'POST', path: '/claims/:claim/discard', reply: Empty },
  /** Errors: waveform_not_ready. */
  waveform: { method: 'GET', path: '/songs/:songId/versions/:n/waveform', reply: Waveform },
})
