import {
  type Charge,
  type CreditsCharged,
  type CreditsDeclined,
  type CreditsRefunded,
  type EventEnvelope,
  type VersionsAnalyzed,
} from '@prelude/contracts'
import { AppError, type BatchHandler, type Clock, type Tx } from '@prelude/platform'
import { type Change, changeSongs } from '../change-song.ts'
import {
  mostAhead,
  movedCharge,
  onCharged,
  onDeclined,
  onRefunded,
  type Terms,
  withNewRevision,
} from '../domain/song.ts'
import { lockErasedCharge, saveErasedCharge } from '../store/erased-song.ts'
import { countCharged, lockSongs } from '../store/song.ts'

type Answer =
  | typeof CreditsCharged
  | typeof CreditsDeclined
  | typeof CreditsRefunded
  | typeof VersionsAnalyzed

export const recordCharged = (clock: Clock, terms: Terms): BatchHandler<typeof CreditsCharged> =>
  recordAnswers(clock, 'charged', async (events, tx) => {
    let ahead = await countCharged(tx, mostAhead(terms))
    return events.map(({ at }) => (song) => {
      const after = onCharged(at, ahead, terms)(song)
      if (after.promisedAt !== song.promisedAt) ahead += 1
      return after
    })
  })

export const recordDeclined = (clock: Clock): BatchHandler<typeof CreditsDeclined> =>
  recordAnswers(clock, 'declined', (events) => events.map(({ at }) => onDeclined(at)))

export const recordRefunded = (clock: Clock): BatchHandler<typeof CreditsRefunded> =>
  recordAnswers(clock, 'refunded', (events) => events.map(({ at }) => onRefunded(at)))

/** Durations and waveforms stay with storage; a new revision lets the live stream show that they exist. */
export const recordAnalyzed = (clock: Clock): BatchHandler<typeof VersionsAnalyzed> =>
  recordAnswers(clock, null, (events) => events.map(() => withNewRevision))

/**
 * Records answers of other services in their songs, many at once. For a song that was erased meanwhile only the charge is
 * recorded, for the books. Errors: song_not_found for a song that never existed.
 */
function recordAnswers<E extends Answer>(
  clock: Clock,
  charge: Charge | null,
  changesBy: (events: readonly EventEnvelope<E>[], tx: Tx) => readonly Change[] | Promise<readonly Change[]>,
): BatchHandler<E> {
  return async (events, tx) => {
    const ids = events.map(({ data }) => data.songId)
    const [changes, locked] = await Promise.all([changesBy(events, tx), lockSongs(tx, ids)])
    const songs = await changeSongs(
      tx,
      clock.now(),
      events.map((event, i) => ({
        id: event.data.songId,
        change: changes[i] ?? withNewRevision,
        cause: event,
      })),
      locked,
    )
    for (const [i, { data }] of events.entries())
      if (songs[i] === null) await recordForErased(tx, data.songId, charge)
  }
}

async function recordForErased(tx: Tx, songId: string, charge: Charge | null): Promise<void> {
  const before = await lockErasedCharge(tx, songId)
  if (before === null) throw new AppError('song_not_found')
  if (charge === null) return
  await saveErasedCharge(tx, songId, movedCharge({ charge: before }, charge).charge)
}
