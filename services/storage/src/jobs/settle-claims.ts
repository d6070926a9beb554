import type { Job } from '@prelude/platform'
import type { Claims } from '../claims.ts'

const EVERY_MS = 30_000

/** Comes back to placements that were neither kept nor discarded, and to objects that could not be deleted. */
export const settleClaims = (claims: Claims): Job => ({
  name: 'settle-claims',
  everyMs: EVERY_MS,
  run: () => claims.settleStale(),
})
