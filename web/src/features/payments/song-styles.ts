import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { MAX_PAGE, type Song } from '@prelude/contracts'
import { api } from '../../api/client.ts'
import type { Page } from '../../api/pages.ts'
import { queryKeys } from '../../api/query-keys.ts'

/** Styles of the person's songs by id, in a few requests for all; an ellipsis while they are loading. */
export function useSongStyles(ids: readonly string[]): ReadonlyMap<string, string> {
  const { data, isPending } = useQuery({
    queryKey: queryKeys.songStyles(ids),
    queryFn: ({ signal }) => fetchSongStyles(ids, signal),
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
  })
  return data ?? new Map(isPending ? ids.map((id) => [id, '…']) : [])
}

/** Reads lists of songs, newest first as their ids are, as far as the oldest of these reaches. */
async function fetchSongStyles(ids: readonly string[], signal: AbortSignal): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  const missing = new Set(ids)
  for (const list of ['/api/songs?', '/api/songs?archived=true&'])
    for (let cursor: string | null = ''; cursor !== null && missing.size > 0;) {
      const oldest = [...missing].reduce((a, b) => (a < b ? a : b))
      const page: Page<Song> = await api.get(`${list}limit=${MAX_PAGE}${cursor && `&cursor=${cursor}`}`, {
        signal,
      })
      for (const { id, style } of page.items) if (missing.delete(id)) found.set(id, style)
      const last = page.items.at(-1)
      cursor = last && last.id < oldest ? null : page.nextCursor
    }
  return found
}
