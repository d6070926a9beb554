import type { Song } from '@prelude/contracts'
import { newId } from '../ids.ts'

/** A song as the songs service answers it, for tests without that service. */
export const requestedSong = (given: Partial<Song> = {}): Song => ({
  id: newId(),
  uid: 'u1',
  username: 'Ada Lovelace',
  email: 'ada@example.com',
  lyrics: 'la',
  style: 'folk',
  status: 'pending',
  charged: true,
  charge: 'charged',
  revision: 1,
  createdAt: 0,
  updatedAt: null,
  title: null,
  promisedAt: null,
  startedAt: null,
  closedAt: null,
  closedReason: null,
  correctedAt: null,
  changes: null,
  takes: null,
  acceptedAt: null,
  timeline: [{ state: 'requested', at: 0 }],
  downloadUrl1: null,
  downloadUrl2: null,
  storagePath1: null,
  storagePath2: null,
  note: null,
  ...given,
})
