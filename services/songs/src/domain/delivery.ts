import { isDeepStrictEqual } from 'node:util'
import type { MadeOfSome, NewNote, PlacedObject } from '@prelude/contracts'
import { AppError } from '@prelude/platform'
import { assertFulfillable, assertOpen, DAY_MS, type SongState, type Terms, withStep } from './song.ts'
import { addedTakes, newestTake, type NewTake, withTakes } from './takes.ts'

/** Errors: those of assertFulfillable; upload_failed for an object that storage may have removed. */
export function fulfilled<S extends SongState>(
  song: S,
  by: { gift: boolean; version1: PlacedObject; version2: PlacedObject; at: number },
): S {
  assertFulfillable(song, by.gift)
  const takes = addedTakes(
    [],
    [
      { version: 1, object: by.version1 },
      { version: 2, object: by.version2 },
    ],
    by.at,
  )
  const charge = song.charge === 'charged' ? 'charged' : 'gift'
  const ready = { ...song, status: 'ready' as const, charge, updatedAt: by.at, deliveredAt: by.at, takes }
  return withStep(ready as S, 'delivered', by.at)
}

/** Until when changes can be asked for; then the song counts as accepted. */
const endsAt = (song: SongState, { changesDays }: Terms): number =>
  (song.deliveredAt ?? 0) + Math.round(changesDays * DAY_MS)

/** Errors: song_closed, song_not_ready. */
function assertDelivered(song: SongState): void {
  assertOpen(song)
  if (song.status !== 'ready') throw new AppError('song_not_ready')
}

/** Errors: song_closed, song_not_ready, invalid_request for a time after the take's end, changes_closed, changes_used. */
export function withChangesAsked<S extends SongState>(
  song: S,
  { notes, at, terms }: { notes: readonly NewNote[]; at: number; terms: Terms },
): S {
  assertDelivered(song)
  const errors = notes.flatMap(({ version, atMs = null }, i) =>
    (atMs ?? 0) > (newestTake(song.takes, version)?.durationMs ?? 0)
      ? [{ path: `notes.${i}.atMs`, message: 'must not be after the end of the version' }]
      : [],
  )
  if (errors.length > 0) throw new AppError('invalid_request', { errors })
  // a song whose credits came back is delivered, and nobody pays for more work on it
  const isClosed = song.acceptedAt !== null || song.charge === 'refunded'
  if (isClosed || at >= endsAt(song, terms)) throw new AppError('changes_closed')
  if (song.changesAsked >= terms.changesIncluded || song.changes?.state === 'asked')
    throw new AppError('changes_used')
  const kept = notes.map(({ version, atMs = null, text }) => ({ version, atMs, text }))
  const changes = { state: 'asked' as const, notes: kept, askedAt: at, deliveredAt: null }
  return withStep({ ...song, changes, changesAsked: song.changesAsked + 1 }, 'changes_asked', at)
}

/** Errors: song_closed, changes_not_asked. */
export function assertChangesAsked(song: SongState): void {
  assertOpen(song)
  if (song.changes?.state !== 'asked') throw new AppError('changes_not_asked')
}

/** The time to accept begins again. Errors: those of assertChangesAsked, upload_failed. */
export function withChangesDelivered<S extends SongState>(song: S, added: readonly NewTake[], at: number): S {
  assertChangesAsked(song)
  if (song.changes === null) throw new AppError('changes_not_asked')
  const changes = { ...song.changes, state: 'delivered' as const, deliveredAt: at }
  return withStep({ ...withTakes(song, added, at), changes, deliveredAt: at }, 'changes_delivered', at)
}

/** How the newest takes were made; gives the very same object back when it changes nothing. Errors: song_closed, song_not_ready. */
export function withMade<S extends SongState>(song: S, said: MadeOfSome): S {
  assertDelivered(song)
  const takes = song.takes.map((take) => {
    const { [take.version]: made = take.made } = said
    const isSame = take !== newestTake(song.takes, take.version) || isDeepStrictEqual(made, take.made)
    return isSame ? take : { ...take, made }
  })
  return isDeepStrictEqual(takes, song.takes) ? song : { ...song, takes }
}

/** Twice is once. Errors: song_closed, song_not_ready, changes_asked. */
export function accepted<S extends SongState>(song: S, at: number): S {
  assertDelivered(song)
  if (song.changes?.state === 'asked') throw new AppError('changes_asked')
  return song.acceptedAt === null ? withStep({ ...song, acceptedAt: at }, 'accepted', at) : song
}

/** By silence, once the time for changes is over. Gives the very same object back when it is not. */
export const acceptedInTime = <S extends SongState>(song: S, now: number, terms: Terms): S =>
  song.status === 'ready' && song.changes?.state !== 'asked' && now >= endsAt(song, terms)
    ? accepted(song, now)
    : song
