import {
  infiniteQueryOptions,
  keepPreviousData,
  QueryClient,
  type QueryFunctionContext,
  type QueryFilters,
  queryOptions,
  useInfiniteQuery,
  useQueries,
  useQuery,
} from '@tanstack/react-query'
import {
  type Credits,
  type Debt,
  MAX_PAGE,
  type Me,
  type Payment,
  type SessionView,
  type Share,
  type Song,
} from '@prelude/contracts'
import { localStore } from '../ui/storage.ts'
import { fetchAllPages } from './all-pages.ts'
import { api, ApiProblem } from './client.ts'
import { hasUnknownPlace, type Page, type SongFilter, type Songs, upsertSong } from './pages.ts'

/** Polling interval of /api/me while the credits service is unavailable. */
const CREDITS_RETRY_MS = 2_500

/** Too many searches in a minute, or at once. */
const LIMITED = 429

/** Retries network errors, 5xx and 429 with exponential backoff; another 4xx is final. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (_count, error) =>
        error instanceof ApiProblem &&
        (error.status === 0 || error.status === LIMITED || error.status >= 500),
      retryDelay: (attempt) => Math.min(500 * 2 ** attempt, 5_000) * (0.75 + Math.random() / 2),
      refetchOnWindowFocus: false,
      staleTime: 30_000,
    },
  },
})

/** Who is signed in. `me` is null when signed out; `guess` serves the first paint while that is loading. */
export function useMe() {
  const { data, failureCount, fetchStatus, refetch } = useQuery({
    ...meQuery,
    refetchInterval: ({ state }) => (state.data?.credits === null ? CREDITS_RETRY_MS : false),
  })
  const state = data ? 'signed-in' : data === null ? 'signed-out' : 'loading'
  // a visitor keeps the sign-in button while the server is unreachable
  const isUnreachable = failureCount > 0 || fetchStatus === 'paused'
  const guess = wasSignedIn() || !isUnreachable ? 'unknown' : 'visitor'
  // a sign-in in this tab or in another one
  const isSigningIn = state === 'signed-out' && fetchStatus === 'fetching'
  return { me: data ?? null, state, guess, isUnreachable, isSigningIn, retry: () => void refetch() } as const
}

export const meQuery = queryOptions({ queryKey: ['me'], queryFn: fetchMe })

async function fetchMe({ signal }: { signal: AbortSignal }): Promise<Me | null> {
  const before = queryClient.getQueryData<Me | null>(['me'])
  const me = await api.get<Me>('/api/me').catch((error: unknown) => {
    if (error instanceof ApiProblem && error.status === 401) return null
    throw error
  })
  // the person has signed out meanwhile: nothing of the old session may be stored
  signal.throwIfAborted()
  if (before && before.uid !== me?.uid) clearUserCache()
  storeSignedIn(me?.uid ?? null)
  return me
}

const SESSIONS_REFETCH_MS = 60_000

/** The person's sessions, newest first. */
export const useSessions = () =>
  useQuery({
    queryKey: ['sessions'],
    queryFn: async ({ signal }) =>
      (await api.get<{ items: readonly SessionView[] }>('/api/sessions', { signal })).items,
    staleTime: 0,
    refetchInterval: SESSIONS_REFETCH_MS,
  })

/** Removes all cached data of the person, before another one signs in. */
export const clearUserCache = (): void =>
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'me' })

/** localStorage key of the last signed-in uid; the other tabs receive its changes as `storage` events. */
export const SIGNED_IN_KEY = 'prelude-signed-in'

/** A guess for the first paint: the session may have ended since. */
export const wasSignedIn = (): boolean => localStore.get(SIGNED_IN_KEY) !== null

export const storeSignedIn = (uid: string | null): void =>
  uid === null ? localStore.remove(SIGNED_IN_KEY) : localStore.set(SIGNED_IN_KEY, uid)

/** The balance; undefined until the credits service has answered. */
export function useCredits(): number | undefined {
  const { me } = useMe()
  const first = me?.credits ?? undefined
  const { data } = useQuery({
    queryKey: ['credits'],
    queryFn: ({ signal }) => api.get<Credits>('/api/credits', { signal }),
    enabled: first !== undefined,
  })
  return first === undefined ? undefined : (data?.balance ?? first)
}

/** The person's debt: credits of a reversed payment that were already spent; 0 until loaded. */
export const useDebt = (enabled = true): number =>
  useQuery({
    queryKey: ['debt'],
    queryFn: ({ signal }) => api.get<Debt>('/api/credits/debt', { signal }),
    enabled,
  }).data?.debt ?? 0

export const paymentsQuery = queryOptions({
  queryKey: ['payments'],
  queryFn: ({ signal }) => api.get<Page<Payment>>(`/api/payments?limit=${MAX_PAGE}`, { signal }),
})

/** The first page of the person's payments, newest first. */
export function usePayments(): { payments: readonly Payment[]; isPending: boolean } {
  const { data, isPending } = useQuery(paymentsQuery)
  return { payments: data?.items ?? [], isPending }
}

/** Styles of songs by id, an ellipsis while one is loading. */
export function useSongStyles(ids: readonly string[]): ReadonlyMap<string, string> {
  const found = useQueries({
    queries: ids.map((id) => ({
      queryKey: ['song', id],
      queryFn: ({ signal }: QueryFunctionContext) => api.get<Song>(`/api/songs/${id}`, { signal }),
      initialData: () => cachedSong(id),
      staleTime: Infinity,
    })),
  })
  const styles = found.map(({ data, isPending }) => data?.style ?? (isPending ? '…' : undefined))
  return new Map(ids.flatMap((id, at) => (styles[at] === undefined ? [] : [[id, styles[at]] as const])))
}

export function useSongs(filter: SongFilter) {
  // shows the previous result until the new one is loaded
  return useInfiniteQuery({ ...songsQuery(filter), placeholderData: keepPreviousData })
}

export const songsQuery = (filter: SongFilter) =>
  infiniteQueryOptions({
    queryKey: ['songs', filter],
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

export const waitingQuery = queryOptions({ queryKey: ['waiting'], queryFn: fetchWaitingSongIds })

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
    .getQueriesData<Songs>({ queryKey: ['songs'] })
    .flatMap(([, data]) => data?.pages.flatMap(({ items }) => items) ?? [])
    .find((song) => song.id === id)

export const useSong = (id: string) =>
  useQuery({
    queryKey: ['song', id],
    queryFn: ({ signal }) => api.get<Song>(`/api/songs/${id}`, { signal }),
    placeholderData: () => cachedSong(id),
  })

/** Often enough to see that somebody listens. */
const SHARES_REFETCH_MS = 15_000

/** The links to a song, newest first, ended ones too. */
export const useShares = (songId: string) =>
  useQuery({
    queryKey: ['shares', songId],
    queryFn: ({ signal }) => fetchAllPages<Share>(`/api/songs/${songId}/shares?`, signal),
    staleTime: 0,
    refetchInterval: SHARES_REFETCH_MS,
  })

/** Writes a song into every cached query that holds it, unless the cache has a newer revision. */
export function putSong(song: Song): void {
  for (const [key, data] of queryClient.getQueriesData<Songs>({ queryKey: ['songs'] })) {
    const filter = key[1] as SongFilter
    if (!data) continue
    if (hasUnknownPlace(data, song, filter)) invalidate({ queryKey: key, exact: true })
    else queryClient.setQueryData(key, upsertSong(data, song, filter))
  }
  invalidateIfFetching(['songs'])
  const waits = song.charge === 'declined' && song.status === 'pending'
  if (queryClient.getQueryData<readonly string[]>(['waiting'])?.includes(song.id) !== waits)
    invalidate({ queryKey: ['waiting'] })
  else invalidateIfFetching(['waiting'])
  const known = queryClient.getQueryData<Song>(['song', song.id])
  if (!known || known.revision <= song.revision) queryClient.setQueryData(['song', song.id], song)
  invalidateIfFetching(['song', song.id])
}

/**
 * Invalidates queries and refetches those on screen. Cancels first fetches in flight, because their response may be older
 * than the change; invalidateQueries alone would keep them.
 */
export function invalidate(filters: QueryFilters): void {
  for (const query of queryClient
    .getQueryCache()
    .findAll({ ...filters, type: 'active', fetchStatus: 'fetching' }))
    if (query.state.data === undefined) void query.cancel({ silent: true })
  void queryClient.invalidateQueries(filters)
}

/** A response in flight may be older than a live event and must not overwrite it. */
function invalidateIfFetching(queryKey: readonly string[]): void {
  if (queryClient.isFetching({ queryKey }) > 0) invalidate({ queryKey })
}

export function putCredits(credits: Credits): void {
  const known = queryClient.getQueryData<Credits>(['credits'])
  if (!known || known.version <= credits.version) queryClient.setQueryData(['credits'], credits)
  invalidateIfFetching(['credits'])
  for (const name of ['entries', 'debt']) invalidate({ queryKey: [name] })
}

export function putPayment(payment: Payment): void {
  queryClient.setQueryData<Page<Payment>>(['payments'], (page) => {
    if (!page) return page
    const known = page.items.some((item) => item.id === payment.id)
    const items = known
      ? page.items.map((item) =>
          item.id === payment.id && item.revision <= payment.revision ? payment : item,
        )
      : [payment, ...page.items]
    return { ...page, items }
  })
  invalidateIfFetching(['payments'])
  invalidate({ queryKey: ['checkout-session'] })
}

/** Refetches everything but waveforms, which never change; called on each connect of the live stream. */
export function refetchAll(): void {
  invalidate({ predicate: ({ queryKey }) => queryKey[0] !== 'waveform' })
}
