import {
  hashKey,
  infiniteQueryOptions,
  keepPreviousData,
  QueryClient,
  type QueryFilters,
  type QueryKey,
  queryOptions,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query'
import {
  type Credits,
  type Debt,
  MAX_PAGE,
  type Me,
  type Payment,
  type Preferences,
  type SessionView,
  type Share,
  type Song,
} from '@prelude/contracts'
import { localStore } from '../ui/storage.ts'
import { fetchAllPages } from './all-pages.ts'
import { api, ApiProblem, isTemporary } from './client.ts'
import { hasUnknownPlace, type Page, type SongFilter, type Songs, upsertSong } from './pages.ts'
import { isLasting, queryKeys } from './query-keys.ts'

/** Polling interval of /api/me while the credits service is unavailable. */
const CREDITS_RETRY_MS = 2_500

/** With the delays between them they take some 20 s; then the page shows the error with "Try again". */
const MAX_RETRIES = 6
const REFETCH_MS = 15_000

/** Retries temporary failures with exponential backoff, a few times. What is on screen is read again when the live stream connects. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (count, error) => count < MAX_RETRIES && isTemporary(error),
      // what is on the page and could not be read again is tried again; without data there is a button
      refetchInterval: ({ state: { status, data, error } }) =>
        status === 'error' && data !== undefined && isTemporary(error) ? REFETCH_MS : false,
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

export const meQuery = queryOptions({
  queryKey: queryKeys.me,
  queryFn: fetchMe,
  // without end: nothing else can be shown, and only a signed-in person has a live stream
  retry: (_count, error) => isTemporary(error),
})

async function fetchMe({ signal }: { signal: AbortSignal }): Promise<Me | null> {
  const before = signedIn()
  const me = await api.get<Me>('/api/me').catch((error: unknown) => {
    if (error instanceof ApiProblem && error.status === 401) return null
    throw error
  })
  // the person has signed out meanwhile: nothing of the old session may be stored
  signal.throwIfAborted()
  if (before !== undefined && before?.uid !== me?.uid) clearUserCache()
  storeSignedIn(me?.uid ?? null)
  return me
}

/** The person as the cache has them: undefined before the first answer, null when signed out. */
export const signedIn = (): Me | null | undefined => queryClient.getQueryData<Me | null>(queryKeys.me)

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
  if (!known || known.revision <= song.revision) queryClient.setQueryData(queryKeys.song(song.id), song)
  invalidateIfFetching(queryKeys.song(song.id))
}

/** Of a burst of events each list is read again at once and at the end, not once an event. */
const COLLECT_MS = 500
/** Keys that were invalidated within this time, and whether again since. */
const collected = new Map<string, { again: boolean }>()

/** Invalidates queries and refetches those on screen, at most once in COLLECT_MS. */
export function invalidate({ queryKey, exact, predicate }: QueryFilters): void {
  const filters = { queryKey, exact, predicate }
  const key = hashKey([queryKey, exact])
  const current = collected.get(key)
  if (current) {
    current.again = true
    return
  }
  const next = { again: false }
  collected.set(key, next)
  setTimeout(() => {
    collected.delete(key)
    if (next.again) invalidate(filters)
  }, COLLECT_MS)
  refetch(filters)
}

/** Cancels first fetches in flight, because their response may be older than the change; invalidateQueries alone would keep them. */
function refetch(filters: QueryFilters): void {
  for (const query of queryClient
    .getQueryCache()
    .findAll({ ...filters, type: 'active', fetchStatus: 'fetching' }))
    if (query.state.data === undefined) void query.cancel({ silent: true })
  void queryClient.invalidateQueries(filters)
}

/** A response in flight may be older than a live event and must not overwrite it. */
export function invalidateIfFetching(queryKey: QueryKey): void {
  if (queryClient.isFetching({ queryKey }) === 0) return
  void queryClient.cancelQueries({ queryKey })
  invalidate({ queryKey })
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

/** Refetches everything that changes; called on each connect of the live stream. */
export function refetchAll(): void {
  invalidate({ predicate: ({ queryKey }) => !isLasting(queryKey) })
}
