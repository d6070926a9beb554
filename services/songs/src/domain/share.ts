import { MAX_SHARES } from '@prelude/contracts'
import { AppError } from '@prelude/platform'
import type { SongState } from './song.ts'

/**
 * Asserts that a song with `live` active links may get another one. Errors: song_not_ready, song_not_charged when it was
 * refunded, too_many_shares.
 */
export function assertShareable(song: Pick<SongState, 'status' | 'charge'>, live: number): void {
  if (song.status !== 'ready') throw new AppError('song_not_ready')
  if (song.charge === 'refunded') throw new AppError('song_not_charged')
  if (live >= MAX_SHARES) throw new AppError('too_many_shares')
}
