import type { Song, songsApi } from '@prelude/contracts'
import type { Client } from '@prelude/platform'

/** Hints of a change arrive within seconds of each other. */
const KEPT = 100

/** All hints of one change of a song, to its person and to the operator, share one read. */
export interface SongReads {
  /** At this revision or a later one. */
  read(id: string, revision: number): Promise<Song>
  /** Keeps what another call answers, instead of a read. */
  keep(id: string, revision: number, song: Promise<Song>): Promise<Song>
}

export function songReads(songs: Client<typeof songsApi>): SongReads {
  const kept = new Map<string, Promise<Song>>()
  const keep: SongReads['keep'] = (id, revision, song) => {
    const change = `${id} ${revision}`
    kept.set(change, song)
    song.catch(() => kept.delete(change)) // to be tried again
    const [oldest = ''] = kept.keys()
    if (kept.size > KEPT) kept.delete(oldest)
    return song
  }
  return {
    read: (id, revision) =>
      kept.get(`${id} ${revision}`) ?? keep(id, revision, songs.get({ params: { id } })),
    keep,
  }
}
