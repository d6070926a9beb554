import type { Job } from '@prelude/platform'
import type { Claims } from '../claims.ts'
import type { Staging } from '../staging.ts'

const EVERY_MS = 30_000

/**
 * Ends placements that a crash of this instance interrupted, settles claims that were neither kept nor discarded, and
 * deletes objects whose deletion failed. `interrupted` is emptied.
 */
export const settleClaims = (claims: Claims, staging: Staging, interrupted: Set<string>): Job => ({
  name: 'settle-claims',
  everyMs: EVERY_MS,
  run: async () => {
    for (const token of interrupted) {
      interrupted.delete(token)
      // its caller never received the paths, so no song can name them
      await claims.drop(token)
      await staging.removeFolder(token)
    }
    await claims.settleStale()
  },
})
