import type { TakesRefused } from '@prelude/contracts'
import type { Clock, Handler } from '@prelude/platform'
import { dismissPlaced } from '../store/audio.ts'

/** The job deletes them. */
export const dismissRefused =
  (clock: Clock): Handler<typeof TakesRefused> =>
  async ({ data: { objectIds } }, tx) => {
    await dismissPlaced(tx, objectIds, await clock.databaseNow(tx))
  }
