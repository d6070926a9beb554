import type { CreditsCharged, CreditsDeclined, CreditsRefunded, VersionsAnalyzed } from '@prelude/contracts'
import { AppError, type BatchHandler, type Tx } from '@prelude/platform'
import { changeSongs } from '../change-song.ts'
import type { Charged } from '../domain/song.ts'
import { lockErasedCharge, saveErasedCharge } from '../store/erased-song.ts'

type Answer =
  typeof CreditsCharged | typeof CreditsDeclined | typeof CreditsRefunded | typeof VersionsAnalyzed

/**
 * Records answers of other services in their songs, many at once. For a song that was erased meanwhile only the charge is
 * recorded, for the books. Errors: song_not_found for a song that never existed.
 */
export const recordAnswers =
  <E extends Answer>(record: <S extends Charged>(song: S) => S): BatchHandler<E> =>
  async (events, tx) => {
    const songs = await changeSongs(
      tx,
      events.map((event) => ({ id: event.data.songId, change: record, cause: event })),
    )
    for (const [i, { data }] of events.entries())
      if (songs[i] === null) await recordForErased(tx, data.songId, record)
  }

async function recordForErased(tx: Tx, songId: string, record: (song: Charged) => Charged): Promise<void> {
  const charge = await lockErasedCharge(tx, songId)
  if (charge === null) throw new AppError('song_not_found')
  await saveErasedCharge(tx, songId, record({ charge, refundHeld: false }).charge)
}

/** Durations and waveforms stay with storage; a new revision lets the live stream show that they exist. */
export const withNewRevision = <S extends Charged>(song: S): S => ({ ...song })
