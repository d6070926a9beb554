import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { MAX_PAGE, type Song } from '@prelude/contracts'
import { api } from './client.ts'
import type { Page } from './pages.ts'
import { cachedSong } from './queries.ts'
import { queryKeys } from './query-keys.ts'
import { songName } from '../text/song-name.ts'

/**
 * Names of the person's songs by id, in a few requests for all; while they are loading those of the cached lists, else an
 * ellipsis.
 */
export function useSongNames(ids: readonly string[]): ReadonlyMap<string, string> {
  const { data, isPending } = useQuery({
    queryKey: queryKeys.songNames(ids),
    queryFn: ({ signal }) => fetchSongNames(ids, signal),
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
  })
  return data ?? new Map(isPending ? ids.map((id) => [id, cachedName(id)]) : [])
}

function cachedName(id: string): string {
  const song = cachedSong(id)
  return song ? songName(song) : '…'
}

/** Reads lists of songs, newest first as their ids are, as far as the oldest of these reaches. */
export async function fetchSongNames(
  ids: readonly string[],
  signal?: AbortSignal,
): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  const missing = new Set(ids)
  for (const list of ['/api/songs?', '/api/songs?archived=true&'])
    for (let cursor: string | null = ''; cursor !== null && missing.size > 0;) {
      const oldest = [...missing].reduce((a, b) => (a < b ? a : b))
      const page: Page<Song> = await api.get(`${list}limit=${MAX_PAGE}${cursor && `&cursor=${cursor}`}`, {
        ...(signal && { signal }),
      })
      for (const song of page.items) if (missing.delete(song.id)) found.set(song.id, songName(song))
      const last = page.items.at(-1)
      cursor = last && last.id < oldest ? null : page.nextCursor
    }
  return found
}
