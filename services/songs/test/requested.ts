import type { SongState } from '../src/domain/song.ts'

/** A song as it is requested, before credits has answered. */
export const requested = (): SongState => ({
  lyrics: 'la la',
  style: 'folk',
  title: null,
  favourite: false,
  preferred: null,
  archived: false,
  status: 'pending',
  charge: 'deciding',
  refundReason: null,
  updatedAt: null,
  takes: [],
  promisedAt: null,
  lateAt: null,
  startedAt: null,
  deliveredAt: null,
  changes: null,
  changesAsked: 0,
  acceptedAt: null,
  closedAt: null,
  closedReason: null,
  correctedAt: null,
  note: null,
  callIds: [],
  timeline: [],
})
