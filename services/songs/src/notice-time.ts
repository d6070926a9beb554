import { SongLate } from '@prelude/contracts'
import type { Database, Job } from '@prelude/platform'
import { changeSongs } from './change-song.ts'
import { acceptedInTime } from './domain/delivery.ts'
import { DAY_MS, late, type Terms } from './domain/song.ts'
import { findOverdue, findUnaccepted } from './store/song.ts'

const EVERY_MS = 20_000
const AT_ONCE = 100

/** What time brings about: a promise that passes, and the end of the time for changes. Found late after a stop, never lost. */
export const noticeTime = (db: Database, terms: Terms): Job => ({
  name: 'notice-time',
  everyMs: EVERY_MS,
  run: async (signal) => {
    let more = true
    while (more && !signal.aborted) {
      const found = [await tellLate(db), await acceptBySilence(db, terms)]
      more = found.includes(AT_ONCE)
    }
  },
})

const tellLate = (db: Database): Promise<number> =>
  db.transaction(async (tx) => {
    const now = Date.now()
    const ids = await findOverdue(tx, now, AT_ONCE)
    const songs = await changeSongs(
      tx,
      ids.map((id) => ({ id, change: (song) => late(song, now) })),
    )
    // one that was delivered or told about since it was found is as it was
    for (const song of songs) if (song?.lateAt === now) tx.emit(SongLate, { songId: song.id, uid: song.uid })
    return ids.length
  })

const acceptBySilence = (db: Database, terms: Terms): Promise<number> =>
  db.transaction(async (tx) => {
    const now = Date.now()
    const ids = await findUnaccepted(tx, now - terms.changesDays * DAY_MS, AT_ONCE)
    await changeSongs(
      tx,
      ids.map((id) => ({ id, change: (song) => acceptedInTime(song, now, terms) })),
    )
    return ids.length
  })
