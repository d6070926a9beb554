import type { Song } from '@prelude/contracts'
import type { SongsClient } from '../api/clients.ts'

/** Hints of a change arrive within seconds of each other; a repeated one is read again. */
const KEPT_MS = 10_000

export type SongReads = ReturnType<typeof songReads>

/** All hints of one change of a song, to its person and to the operator, share one read. */
export function songReads(songs: SongsClient) {
  const kept = new Map<string, { readonly song: Promise<Song>; readonly until: number }>()
  /** Keeps what another call answers, instead of a read. */
  const keep = (id: string, revision: number, song: Promise<Song>): Promise<Song> => {
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
    /** At this revision or a later one. */
    read: (id: string, revision: number): Promise<Song> => {
      const known = kept.get(`${id} ${revision}`)
      return known && known.until > performance.now()
        ? known.song
        : keep(id, revision, songs.get({ params: { id } }))
    },
    keep,
  }
}
