import { useQuery } from '@tanstack/react-query'
import { SHARED_SONG_ELEMENT, type SharedSong } from '@prelude/contracts'
import { call } from './client.ts'
import { allItems } from './pages.ts'
import { invalidate } from './query-client.ts'

/** Links to a song, and what somebody who has one reads. */

const SHARES = 'shares'
/** Often enough to see that somebody listens. */
const REFETCH_MS = 15_000

/** The links to a song, newest first, ended ones too. */
export const useShares = (songId: string) =>
  useQuery({
    queryKey: [SHARES, songId],
    queryFn: ({ signal }) =>
      allItems((query) => call('GET /api/songs/:id/shares', { params: { id: songId }, query, signal })),
    staleTime: 0,
    refetchInterval: REFETCH_MS,
  })

export const invalidateShares = (): void => invalidate({ queryKey: [SHARES] })

/** What the server wrote into the page; nothing when the link is over, or in development. */
function embeddedSong(): SharedSong | undefined {
  const text = document.getElementById(SHARED_SONG_ELEMENT)?.textContent
  return text === undefined ? undefined : (JSON.parse(text) as SharedSong)
}

export const useSharedSong = (token: string) =>
  useQuery({
    queryKey: ['share', token],
    queryFn: ({ signal }) => call('GET /api/shares/:id', { params: { id: token }, signal }),
    initialData: embeddedSong,
    // a file may be replaced while the page is open
    refetchOnWindowFocus: 'always',
  })
