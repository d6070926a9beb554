import type { Song, songsApi } from '@prelude/contracts'
import type { Client } from '@prelude/platform'

/** Hints of a change arrive within seconds of each other; a repeated one is read again. */
const KEPT_MS = 10_000

/** All hints of one change of a song, to its person and to the operator, share one read. */
export interface SongReads {
  /** At this revision or a later one. */
  read(id: string, revision: number): Promise<Song>
  /** Keeps what another call answers, instead of a read. */
  keep(id: string, revision: number, song: Promise<Song>): Promise<Song>
}

export function songReads(songs: Client<typeof songsApi>): SongReads {
  const kept = new Map<string, { readonly song: Promise<Song>; readonly until: number }>()
  const keep: SongReads['keep'] = (id, revision, song) => {
    const change = `${id} ${revision}`
    const now = performance.now()
    kept.delete(change)
    kept.set(change, { song, until: now + KEPT_MS })
    song.catch(() => kept.delete(change)) // to be tried again
    for (const [old, { until }] of kept) {
      if (until > now) break // a Map keeps the order of insertion
      kept.delete(old)
    }
    return song
  }
  return {
    read: (id, revision) => {
      const known = kept.get(`${id} ${revision}`)
      return known && known.until > performance.now()
        ? known.song
        : keep(id, revision, songs.get({ params: { id } }))
    },
    keep,
  }
}
