import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query'
import {
  type Credits,
  type Debt,
  MAX_PAGE,
  type Payment,
  type Preferences,
  type SessionView,
  type Share,
  type Song,
} from '@prelude/contracts'
import { fetchAllPages } from './all-pages.ts'
import { api } from './client.ts'
import { signedIn, useMe } from './me.ts'
import { hasUnknownPlace, type Page, type SongFilter, type Songs, upsertSong } from './pages.ts'
import { invalidate, invalidateIfFetching, queryClient } from './query-client.ts'
import { queryKeys } from './query-keys.ts'
import { songName } from '../text/song-name.ts'

/** What a signed-in person reads, and how live events change it. */

const SESSIONS_REFETCH_MS = 60_000

/** The person's sessions, newest first. */
export const useSessions = () =>
  useQuery({
    queryKey: queryKeys.sessions,
    queryFn: async ({ signal }) =>
      (await api.get<{ items: readonly SessionView[] }>('/api/sessions', { signal })).items,
    staleTime: 0,
    refetchInterval: SESSIONS_REFETCH_MS,
  })

/** The balance; undefined until the credits service has answered. */
export function useCredits(): number | undefined {
  const { me } = useMe()
  const first = me?.credits ?? undefined
  const { data } = useQuery({
    queryKey: queryKeys.credits,
    queryFn: ({ signal }) => api.get<Credits>('/api/credits', { signal }),
    enabled: first !== undefined,
  })
  return first === undefined ? undefined : (data?.balance ?? first)
}

/** The person's debt: credits of a reversed payment that were already spent; 0 until loaded. */
export const useDebt = (enabled = true): number =>
  useQuery({
    queryKey: queryKeys.debt,
    queryFn: ({ signal }) => api.get<Debt>('/api/credits/debt', { signal }),
    enabled,
  }).data?.debt ?? 0

export const paymentsQuery = queryOptions({
  queryKey: queryKeys.payments,
  queryFn: ({ signal }) => api.get<Page<Payment>>(`/api/payments?limit=${MAX_PAGE}`, { signal }),
})

/** The first page of the person's payments, newest first. */
export function usePayments() {
  const query = useQuery(paymentsQuery)
  return { payments: query.data?.items ?? [], isPending: query.isPending, query }
}

export function useSongs(filter: SongFilter) {
  // shows the previous result until the new one is loaded
  return useInfiniteQuery({ ...songsQuery(filter), placeholderData: keepPreviousData })
}

export const songsQuery = (filter: SongFilter) =>
  infiniteQueryOptions({
    queryKey: queryKeys.songList(filter),
    queryFn: ({ pageParam, signal }) => {
      const query = new URLSearchParams({ limit: '30' })
      if (filter.q !== '') query.set('q', filter.q)
      if (filter.show === 'favourite' || filter.show === 'archived') query.set(filter.show, 'true')
      else if (filter.show !== '') query.set('status', filter.show)
      if (filter.sort !== 'newest') query.set('sort', filter.sort)
      if (pageParam !== '') query.set('cursor', pageParam)
      return api.get<Page<Song>>(`/api/songs?${query}`, { signal })
    },
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  })

/** Ids of requests that wait for credits, in the order in which they are charged; undefined until loaded. */
export const useWaitingSongIds = (enabled = true): readonly string[] | undefined =>
  useQuery({ ...waitingQuery, enabled }).data

export const waitingQuery = queryOptions({ queryKey: queryKeys.waiting, queryFn: fetchWaitingSongIds })

async function fetchWaitingSongIds({ signal }: { signal: AbortSignal }): Promise<readonly string[]> {
  const pending = await fetchAllPages<Song>('/api/songs?status=pending', signal)
  return pending
    .filter(({ charge }) => charge === 'declined')
    .map(({ id }) => id)
    .toReversed()
}

/** A song from the cached lists, as a placeholder until its own query has loaded. */
export const cachedSong = (id: string): Song | undefined =>
  queryClient
    .getQueriesData<Songs>({ queryKey: queryKeys.songs })
    .flatMap(([, data]) => data?.pages.flatMap(({ items }) => items) ?? [])
    .find((song) => song.id === id)

export const useSong = (id: string) =>
  useQuery({
    queryKey: queryKeys.song(id),
    queryFn: ({ signal }) => api.get<Song>(`/api/songs/${id}`, { signal }),
    placeholderData: () => cachedSong(id),
  })

/** Often enough to see that somebody listens. */
const SHARES_REFETCH_MS = 15_000

/** The links to a song, newest first, ended ones too. */
export const useShares = (songId: string) =>
  useQuery({
    queryKey: queryKeys.shares(songId),
    queryFn: ({ signal }) => fetchAllPages<Share>(`/api/songs/${songId}/shares?`, signal),
    staleTime: 0,
    refetchInterval: SHARES_REFETCH_MS,
  })

/** Writes a song of the person into every cached query that holds it, unless the cache has a newer revision. */
export function putSong(song: Song): void {
  // the operator's own album has no songs of others, and an answer may come after its person has signed out
  if (song.uid !== signedIn()?.uid) return
  for (const [key, data] of queryClient.getQueriesData<Songs>({ queryKey: queryKeys.songs })) {
    const filter = key[1] as SongFilter
    if (!data) continue
    if (hasUnknownPlace(data, song, filter)) invalidate({ queryKey: key, exact: true })
    else queryClient.setQueryData(key, upsertSong(data, song, filter))
  }
  invalidateIfFetching(queryKeys.songs)
  const waits = song.charge === 'declined' && song.status === 'pending'
  if (queryClient.getQueryData<readonly string[]>(queryKeys.waiting)?.includes(song.id) !== waits)
    invalidate({ queryKey: queryKeys.waiting })
  else invalidateIfFetching(queryKeys.waiting)
  const known = queryClient.getQueryData<Song>(queryKeys.song(song.id))
  if (!known || known.revision <= song.revision) {
    queryClient.setQueryData(queryKeys.song(song.id), song)
    queryClient.setQueriesData<ReadonlyMap<string, string>>({ queryKey: queryKeys.allSongNames }, (names) =>
      names?.has(song.id) ? new Map(names).set(song.id, songName(song)) : names,
    )
  }
  invalidateIfFetching(queryKeys.song(song.id))
  invalidateIfFetching(queryKeys.allSongNames)
}

export function putCredits(credits: Credits): void {
  const known = queryClient.getQueryData<Credits>(queryKeys.credits)
  if (!known || known.version <= credits.version) queryClient.setQueryData(queryKeys.credits, credits)
  invalidateIfFetching(queryKeys.credits)
  for (const queryKey of [queryKeys.entries, queryKeys.debt]) invalidate({ queryKey })
}

export function putPayment(payment: Payment): void {
  queryClient.setQueryData<Page<Payment>>(queryKeys.payments, (page) => {
    if (!page) return page
    const known = page.items.some((item) => item.id === payment.id)
    const items = known
      ? page.items.map((item) =>
          item.id === payment.id && item.revision <= payment.revision ? payment : item,
        )
      : [payment, ...page.items]
    return { ...page, items }
  })
  invalidateIfFetching(queryKeys.payments)
  invalidate({ queryKey: queryKeys.checkoutSessions })
}

/** Writes what this person has chosen, unless they have signed out meanwhile. */
export function putPreferences(uid: string, preferences: Preferences): void {
  if (uid !== signedIn()?.uid) return
  queryClient.setQueryData(queryKeys.preferences, preferences)
  invalidateIfFetching(queryKeys.preferences)
}
