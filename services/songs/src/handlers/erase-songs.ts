import { type AccountClosed, SongErased } from '@prelude/contracts'
import type { Clock, Database, Handler, Job, Tx } from '@prelude/platform'
import { closedWithSongs, eraseSongsOf, markClosed } from '../store/erased-song.ts'

/** Pending songs are cancelled with it: their owner is gone. */
export const eraseSongs =
  (clock: Clock): Handler<typeof AccountClosed> =>
  async ({ data: { uid } }, tx) => {
    const at = clock.now()
    await markClosed(tx, uid, at)
    await erase(tx, uid, at)
  }

const EVERY_MS = 60_000
/** A request lasts seconds. */
const LATE_MS = 24 * 60 * 60_000

/** A request that was on its way when its account was closed may arrive after the event that erases. */
export const eraseLateSongs = (db: Database, clock: Clock): Job => ({
  name: 'erase-late-songs',
  everyMs: EVERY_MS,
  run: async () => {
    const now = clock.now()
    for (const uid of await closedWithSongs(db, now - LATE_MS))
      await db.transaction((tx) => erase(tx, uid, now))
  },
})

async function erase(tx: Tx, uid: string, at: number): Promise<void> {
  for (const songId of await eraseSongsOf(tx, uid, at)) tx.emit(SongErased, { songId, uid })
}
