import { isCode, type Tx } from '@prelude/platform'
import { changeSong } from './change-song.ts'
import type { Charged } from './domain/song.ts'
import { lockErasedCharge, saveErasedCharge } from './store/erased-song.ts'

/**
 * Records an answer of the ledger. For a song that was erased meanwhile only the charge is recorded, and no event is emitted.
 * Errors: song_not_found when there never was one.
 */
export async function recordAnswer(
  tx: Tx,
  songId: string,
  answer: <S extends Charged>(song: S) => S,
): Promise<void> {
  try {
    await changeSong(tx, songId, answer)
  } catch (error) {
    const charge = isCode(error, 'song_not_found') ? await lockErasedCharge(tx, songId) : null
    if (charge === null) throw error
    await saveErasedCharge(tx, songId, answer({ charge, refundHeld: false }).charge)
  }
}
