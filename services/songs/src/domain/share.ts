import { MAX_SHARES } from '@prelude/contracts'
import { AppError } from '@prelude/platform'
import type { SongState } from './song.ts'

/**
 * May this song get another link, of which `live` are not over? Errors: song_not_ready, song_not_charged when it was given
 * back, invalid_request for an end in the past, too_many_shares.
 */
export function assertShareable(
  song: Pick<SongState, 'status' | 'charge'>,
  { expiresAt, live, now }: { expiresAt: number | null; live: number; now: number },
): void {
  if (song.status !== 'ready') throw new AppError('song_not_ready')
  if (song.charge === 'refunded') throw new AppError('song_not_charged')
  if (expiresAt !== null && expiresAt <= now)
    throw new AppError('invalid_request', {
      errors: [{ path: 'expiresAt', message: 'must be in the future' }],
    })
  if (live >= MAX_SHARES) throw new AppError('too_many_shares')
}
