import { type AccountClosed, SongErased } from '@prelude/contracts'
import type { Database, Handler, Job, Tx } from '@prelude/platform'
import { closedWithSongs, eraseSongsOf, markClosed } from '../store/erased-song.ts'

/** Pending songs are cancelled with it: their owner is gone. */
export const eraseSongs: Handler<typeof AccountClosed> = async ({ data: { uid } }, tx) => {
  await markClosed(tx, uid, Date.now())
  await erase(tx, uid)
}

const EVERY_MS = 60_000
/** A request lasts seconds. */
const LATE_MS = 24 * 60 * 60_000

/** A request that was on its way when its account was closed may arrive after the event that erases. */
export const eraseLateSongs = (db: Database): Job => ({
  name: 'erase-late-songs',
  everyMs: EVERY_MS,
  run: async () => {
    for (const uid of await closedWithSongs(db, Date.now() - LATE_MS))
      await db.transaction((tx) => erase(tx, uid))
  },
})

async function erase(tx: Tx, uid: string): Promise<void> {
  for (const songId of await eraseSongsOf(tx, uid, Date.now())) tx.emit(SongErased, { songId, uid })
}
