import { type InfiniteData, QueryClient, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { Credits, Me, Payment, Song } from '@prelude/contracts'
import { api, ApiProblem } from './client.ts'

export interface Page<T> {
  readonly items: readonly T[]
  readonly nextCursor: string | null
}

/** Waits longer and longer for a server that is away, but never repeats a refusal. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (_count, error) => error instanceof ApiProblem && (error.status === 0 || error.status >= 500),
      retryDelay: (attempt) => Math.min(500 * 2 ** attempt, 5_000) * (0.75 + Math.random() / 2),
      refetchOnWindowFocus: false,
      staleTime: 30_000,
    },
  },
})

/** Null: signed out. */
export function useMe() {
  const query = useQuery({
    queryKey: ['me'],
    queryFn: () =>
      api.get<Me>('/api/me').catch((error: unknown) => {
        if (error instanceof ApiProblem && error.status === 401) return null
        throw error
      }),
  })
  const state = query.data ? 'signed-in' : query.data === null ? 'signed-out' : 'loading'
  return { me: query.data ?? null, state } as const
}

/** The balance; undefined until the ledger has answered. */
export function useCredits(enabled: boolean): Credits | undefined {
  return useQuery({ queryKey: ['credits'], queryFn: () => api.get<Credits>('/api/credits'), enabled }).data
}

export interface SongFilter {
  readonly q: string
  readonly status: '' | 'pending' | 'ready'
}

export function useSongs(filter: SongFilter) {
  return useInfiniteQuery({
    queryKey: ['songs', filter],
    queryFn: ({ pageParam }) => {
      const query = new URLSearchParams({ limit: '30' })
      if (filter.q !== '') query.set('q', filter.q)
      if (filter.status !== '') query.set('status', filter.status)
      if (pageParam !== '') query.set('cursor', pageParam)
      return api.get<Page<Song>>(`/api/songs?${query}`)
    },
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  })
}

type Songs = InfiniteData<Page<Song>, string>

/** A newer state of a song replaces an older one wherever it is shown; a song nobody has seen goes on top. */
export function putSong(song: Song): void {
  for (const [key, data] of queries.getQueriesData<Songs>({ queryKey: ['songs'] })) {
    const filter = key[1] as SongFilter
    if (data) queries.setQueryData(key, mergeSong(data, song, filter))
  }
  const known = queries.getQueryData<Song>(['song', song.id])
  if (!known || known.revision <= song.revision) queries.setQueryData(['song', song.id], song)
}

function mergeSong(data: Songs, song: Song, filter: SongFilter): Songs {
  let found = false
  const pages = data.pages.map((page) => ({
    ...page,
    items: page.items.map((item) => {
      if (item.id !== song.id) return item
      found = true
      return item.revision <= song.revision ? song : item
    }),
  }))
  const [first, ...rest] = pages
  if (found || !first || !matches(song, filter)) return { ...data, pages }
  const items = [song, ...first.items].toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
  return { ...data, pages: [{ ...first, items }, ...rest] }
}

function matches(song: Song, { q, status }: SongFilter): boolean {
  const needle = q.toLowerCase()
  const found = song.lyrics.toLowerCase().includes(needle) || song.style.toLowerCase().includes(needle)
  return found && (status === '' || song.status === status)
}

export function putCredits(credits: Credits): void {
  const known = queries.getQueryData<Credits>(['credits'])
  if (!known || known.version <= credits.version) queries.setQueryData(['credits'], credits)
}

export function putPayment(payment: Payment): void {
  queries.setQueryData<Page<Payment>>(['payments'], (page) => {
    if (!page) return page
    const known = page.items.some((item) => item.id === payment.id)
    const items = known
      ? page.items.map((item) =>
          item.id === payment.id && item.revision <= payment.revision ? payment : item,
        )
      : [payment, ...page.items]
    return { ...page, items }
  })
  void queries.invalidateQueries({ queryKey: ['checkout-session'] })
}

/** Everything the person owns is read again: after a (re)connect of the live stream nothing is missed. */
export function refetchAll(): void {
  void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'waveform' })
}
