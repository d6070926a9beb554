import { SongRequested, type songsApi } from '@prelude/contracts'
import {
  AppError,
  batched,
  type Cause,
  type Clock,
  currentCause,
  type Database,
  type RouteHandler,
} from '@prelude/platform'
import { findSongs, insertSongs, type RequestedSong, type SongRecord } from '../store/song.ts'
import { present, songIdOf } from './present.ts'

interface Request {
  readonly song: RequestedSong
  readonly cause: Cause | undefined
}

/**
 * The id comes from the caller: a repeated call answers the song that the first one made. Requests that come at the same
 * time share one transaction, and so one wait for the disk. Errors: too_many_waiting.
 */
export const requestSong = (
  db: Database,
  clock: Clock,
  priceCents: number,
): RouteHandler<typeof songsApi.request> => {
  const request = batched((requests: readonly Request[]) => insertRequested(db, requests), {
    concurrency: 2,
    maxSize: 100,
  })
  return async ({ params, body }) => {
    const { uid, username, email, lyrics, style, brief = null, readyBy = null, mostWaiting } = body
    const id = songIdOf(params)
    const found = await request({
      song: {
        id,
        uid,
        username,
        email,
        lyrics,
        style,
        brief,
        priceCents,
        readyBy,
        createdAt: clock.now(),
        mostWaiting,
      },
      cause: currentCause(),
    })
    if (!found) throw new AppError('too_many_waiting')
    // another person's song is never shown, even when the ids are equal
    if (found.uid !== uid) throw new AppError('song_not_found')
    return present(found)
  }
}

/** Answers the song with each request's id, new or not; undefined for one that was not inserted. */
const insertRequested = (
  db: Database,
  requests: readonly Request[],
): Promise<readonly (SongRecord | undefined)[]> =>
  db.transaction(async (tx) => {
    const causes = new Map(requests.map(({ song, cause }) => [song.id, cause]))
    const inserted = await insertSongs(
      tx,
      requests.map(({ song }) => song),
    )
    for (const { id: songId, uid, priceCents: price } of inserted)
      tx.emit(SongRequested, { songId, uid, price }, causes.get(songId))
    const songs = new Map(inserted.map((song) => [song.id, song]))
    const known = [...causes.keys()].filter((id) => !songs.has(id))
    if (known.length > 0) for (const song of await findSongs(tx, known)) songs.set(song.id, song)
    return requests.map(({ song }) => songs.get(song.id))
  })
