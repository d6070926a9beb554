import { randomUUID } from 'node:crypto'
import { type PlacedObject, SongUpdated, type Take, TakesChanged, TakesRefused } from '@prelude/contracts'
import { AppError, type Cause, type Clock, type Database, type Tx } from '@prelude/platform'
import { certifiedFiles, isReplaced } from './domain/certificate.ts'
import { issueCertificate } from './store/certificate.ts'
import { lockSongs, saveSongs, saveTexts, type SongRecord } from './store/song.ts'
import { endSharesOf } from './store/share.ts'
import { saveTakes } from './store/take.ts'

/** `at`: the time of the change. */
export type Change = (song: SongRecord, at: number) => SongRecord
/** Called in the transaction of a change, once the song has changed. */
type Then = (song: SongRecord, before: SongRecord) => void

/**
 * The one way a song changes: under its row's lock, with the next revision and an event. Nothing happens when `change`
 * gives the same object back. Errors: song_not_found, and those of `change`.
 */
export async function changeSong(
  tx: Tx,
  at: number,
  id: string,
  change: Change,
  then?: Then,
): Promise<SongRecord> {
  const [song] = await changeSongs(tx, at, [{ id, change, ...(then && { then }) }])
  if (!song) throw new AppError('song_not_found')
  return song
}

/** The same, once a `callId`: a repeat answers the song as it is, and changes nothing. */
export const changeSongOnce = (
  tx: Tx,
  at: number,
  { id, callId }: { readonly id: string; readonly callId?: string | undefined },
  change: Change,
  then: Then,
): Promise<SongRecord> => {
  const once: Change = (song, time) => {
    if (callId === undefined) return change(song, time)
    if (song.callIds.includes(callId)) return song
    return { ...change(song, time), callIds: [...song.callIds, callId] }
  }
  return changeSong(tx, at, id, once, then)
}

/**
 * The same, by objects that storage placed for the song. A refusal is an event too, so that storage removes them; an answer
 * alone could be lost. Each object is offered once: a call like this is not repeated.
 * `then` runs in the transaction of the change. Its time is the database's: the time for changes runs from it.
 */
export async function changeByObjects(
  { db, clock }: { db: Database; clock: Clock },
  id: string,
  objects: readonly PlacedObject[],
  change: Change,
  then: (tx: Tx, song: SongRecord) => void = () => {},
): Promise<SongRecord> {
  let refusal: AppError | undefined
  const changed = await db.transaction(async (tx) => {
    refusal = undefined // of an attempt before this one
    const at = await clock.databaseNow(tx)
    const song = await changeSong(tx, at, id, (before) => {
      try {
        return change(before, at)
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        refusal = error
        return before
      }
    })
    if (!refusal) then(tx, song)
    else tx.emit(TakesRefused, { songId: id, uid: song.uid, objectIds: objects.map(({ id }) => id) })
    return song
  })
  if (refusal) throw refusal
  return changed
}

/** The same for many songs in one round trip, in order; `null` for one that does not exist. `locked`: these songs, if they are. */
export async function changeSongs(
  tx: Tx,
  at: number,
  changes: readonly {
    readonly id: string
    readonly change: Change
    readonly cause?: Cause
    readonly then?: Then
  }[],
  locked?: Map<string, SongRecord>,
): Promise<(SongRecord | null)[]> {
  const ids = changes.map(({ id }) => id)
  const songs = locked ?? (await lockSongs(tx, ids))
  const first = new Map(songs)
  const saved = new Map<string, SongRecord>()
  const results = changes.map(({ id, change, cause, then }) => {
    const before = songs.get(id)
    if (!before) return null
    const changed = change(before, at)
    if (changed === before) return before
    const certificateId = isReplaced(before.takes, changed.takes) ? randomUUID() : before.certificateId
    const after = { ...changed, revision: before.revision + 1, certificateId }
    songs.set(id, after)
    saved.set(id, after)
    const { id: songId, uid, revision, takes } = after
    tx.emit(SongUpdated, { songId, uid, revision }, cause)
    if (takes !== before.takes) tx.emit(TakesChanged, { songId, uid, takes: takes.map(named) }, cause)
    then?.(after, before)
    return after
  })
  if (saved.size > 0) saveSongs(tx, [...saved.values()])
  for (const song of saved.values()) {
    const { id, takes, lyrics, style, title, charge, certificateId } = song
    const before = first.get(id)
    if (takes !== before?.takes) saveTakes(tx, id, takes)
    if (certificateId !== null && certificateId !== before?.certificateId)
      issueCertificate(tx, {
        id: certificateId,
        songId: id,
        issuedAt: at,
        files: certifiedFiles(takes),
      })
    if (lyrics !== before?.lyrics || style !== before.style || title !== before.title) saveTexts(tx, song)
    // a refunded song has no active links
    if (charge === 'refunded' && before?.charge !== 'refunded') endSharesOf(tx, id, at)
  }
  return results
}

const named = ({ version, take, objectId }: Take): Pick<Take, 'version' | 'take' | 'objectId'> => ({
  version,
  take,
  objectId,
})
