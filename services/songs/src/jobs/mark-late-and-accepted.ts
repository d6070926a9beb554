import { SongLate } from '@prelude/contracts'
import type { Clock, Database, Job } from '@prelude/platform'
import { changeSongs } from '../change-song.ts'
import { acceptedInTime } from '../domain/delivery.ts'
import { DAY_MS, late, type Terms } from '../domain/song.ts'
import { findOverdue, findUnaccepted } from '../store/song.ts'

const EVERY_MS = 20_000
const AT_ONCE = 100

/** Changes of songs that time causes: a promise passes, the time for changes ends. A stop of the service delays them, and loses none. */
export const markLateAndAccepted = (db: Database, clock: Clock, terms: Terms): Job => ({
  name: 'mark-late-and-accepted',
  everyMs: EVERY_MS,
  run: async (signal) => {
    let more = true
    while (more && !signal.aborted) {
      const found = [await emitLate(db, clock), await acceptBySilence(db, clock, terms)]
      more = found.includes(AT_ONCE)
    }
  },
})

const emitLate = (db: Database, clock: Clock): Promise<number> =>
  db.transaction(async (tx) => {
    const now = await clock.databaseNow(tx)
    const ids = await findOverdue(tx, now, AT_ONCE)
    await changeSongs(
      tx,
      now,
      // one that was delivered or marked late since the query does not change
      ids.map((id) => ({
        id,
        change: late,
        then: ({ id: songId, uid }) => tx.emit(SongLate, { songId, uid }),
      })),
    )
    return ids.length
  })

const acceptBySilence = (db: Database, clock: Clock, terms: Terms): Promise<number> =>
  db.transaction(async (tx) => {
    const now = await clock.databaseNow(tx)
    const ids = await findUnaccepted(tx, now - Math.round(terms.changesDays * DAY_MS), AT_ONCE)
    await changeSongs(
      tx,
      now,
      ids.map((id) => ({ id, change: (song) => acceptedInTime(song, now, terms) })),
    )
    return ids.length
  })
