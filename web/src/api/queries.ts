import {
  keepPreviousData,
  QueryClient,
  type QueryFilters,
  useInfiniteQuery,
  useQueries,
  useQuery,
} from '@tanstack/react-query'
import { type Credits, type Debt, MAX_PAGE, type Me, type Payment, type Song } from '@prelude/contracts'
import { api, ApiProblem } from './client.ts'
import { type Page, type SongFilter, type Songs, withSong } from './pages.ts'

/** While the ledger does not answer, the person is read again. */
const LEDGER_AWAY_MS = 2_500

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
  const { data, failureCount, fetchStatus, refetch } = useQuery({
    queryKey: ['me'],
    queryFn: readMe,
    refetchInterval: ({ state }) => (state.data?.credits === null ? LEDGER_AWAY_MS : false),
  })
  const state = data ? 'signed-in' : data === null ? 'signed-out' : 'loading'
  // a server that does not answer must not take the way in from a visitor
  const isAway = failureCount > 0 || fetchStatus === 'paused'
  const guess = wasSignedIn() || !isAway ? 'unknown' : 'visitor'
  // somebody signs in, here or in another tab
  const isSigningIn = state === 'signed-out' && fetchStatus === 'fetching'
  return { me: data ?? null, state, guess, isAway, isSigningIn, retry: () => void refetch() } as const
}

async function readMe(): Promise<Me | null> {
  const before = queries.getQueryData<Me | null>(['me'])
  const me = await api.get<Me>('/api/me').catch((error: unknown) => {
    if (error instanceof ApiProblem && error.status === 401) return null
    throw error
  })
  if (before && before.uid !== me?.uid) forgetPerson()
  rememberSignedIn(me?.uid ?? null)
  return me
}

/** What one person has read is gone before the next one looks. */
export const forgetPerson = (): void =>
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'me' })

/** Who was signed in when this browser was last told; a change of it is heard by the other tabs. */
export const SIGNED_IN = 'prelude-signed-in'

/** Only a guess for the first paint. */
export const wasSignedIn = (): boolean => localStorage.getItem(SIGNED_IN) !== null

export const rememberSignedIn = (uid: string | null): void =>
  uid === null ? localStorage.removeItem(SIGNED_IN) : localStorage.setItem(SIGNED_IN, uid)

/** The balance; undefined until the ledger has answered. */
export function useCredits(): number | undefined {
  const { me } = useMe()
  const first = me?.credits ?? undefined
  const { data } = useQuery({
    queryKey: ['credits'],
    queryFn: () => api.get<Credits>('/api/credits'),
    enabled: first !== undefined,
  })
  return first === undefined ? undefined : (data?.balance ?? first)
}

/** What the person owes after a payment was reversed whose credits were spent; 0 until known. */
export const useDebt = (enabled = true): number =>
  useQuery({ queryKey: ['debt'], queryFn: () => api.get<Debt>('/api/credits/debt'), enabled }).data?.debt ?? 0

/** The newest hundred of the person's payments. */
export function usePayments(): { payments: readonly Payment[]; isPending: boolean } {
  const { data, isPending } = useQuery({
    queryKey: ['payments'],
    queryFn: () => api.get<Page<Payment>>(`/api/payments?limit=${MAX_PAGE}`),
  })
  return { payments: data?.items ?? [], isPending }
}

/** The styles of these songs, by which their owner knows them; an ellipsis for those that are being read. */
export function useSongStyles(ids: readonly string[]): ReadonlyMap<string, string> {
  const found = useQueries({
    queries: ids.map((id) => ({
      queryKey: ['song', id],
      queryFn: () => api.get<Song>(`/api/songs/${id}`),
      initialData: () => listedSong(id),
      staleTime: Infinity,
    })),
  })
  const styles = found.map(({ data, isPending }) => data?.style ?? (isPending ? '…' : undefined))
  return new Map(ids.flatMap((id, at) => (styles[at] === undefined ? [] : [[id, styles[at]] as const])))
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
    // what was found before stays until there is something new
    placeholderData: keepPreviousData,
  })
}

/** Ids of the requests that wait for credits, in the order in which credits go to them; undefined until read. */
export const useWaiting = (enabled = true): readonly string[] | undefined =>
  useQuery({ queryKey: ['waiting'], queryFn: readWaiting, enabled }).data

async function readWaiting(): Promise<readonly string[]> {
  const ids: string[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: Page<Song> = await api.get(
      `/api/songs?status=pending&limit=${MAX_PAGE}${cursor && `&cursor=${cursor}`}`,
    )
    ids.push(...page.items.filter(({ charge }) => charge === 'declined').map(({ id }) => id))
    cursor = page.nextCursor
  }
  return ids.toReversed()
}

/** What the album already knows of a song, to show until it is read. */
export const listedSong = (id: string): Song | undefined =>
  queries
    .getQueriesData<Songs>({ queryKey: ['songs'] })
    .flatMap(([, data]) => data?.pages.flatMap(({ items }) => items) ?? [])
    .find((song) => song.id === id)

/** A newer state of a song replaces an older one wherever it is shown; a song nobody has seen goes on top. */
export function putSong(song: Song): void {
  for (const [key, data] of queries.getQueriesData<Songs>({ queryKey: ['songs'] })) {
    const filter = key[1] as SongFilter
    if (data) queries.setQueryData(key, withSong(data, song, filter))
  }
  readAgainIfReading(['songs'])
  const waits = song.charge === 'declined' && song.status === 'pending'
  if (queries.getQueryData<readonly string[]>(['waiting'])?.includes(song.id) !== waits)
    readAgain({ queryKey: ['waiting'] })
  else readAgainIfReading(['waiting'])
  const known = queries.getQueryData<Song>(['song', song.id])
  if (!known || known.revision <= song.revision) queries.setQueryData(['song', song.id], song)
  readAgainIfReading(['song', song.id])
}

/**
 * Reads what is on the screen again. An answer that is still under way is given up: it may be older than what made this
 * necessary. By itself the query client would take a first answer all the same.
 */
export function readAgain(filters: QueryFilters): void {
  for (const query of queries
    .getQueryCache()
    .findAll({ ...filters, type: 'active', fetchStatus: 'fetching' }))
    if (query.state.data === undefined) void query.cancel({ silent: true })
  void queries.invalidateQueries(filters)
}

/** An answer that is still under way may be older than what was just heard, and must not overwrite it. */
function readAgainIfReading(queryKey: readonly string[]): void {
  if (queries.isFetching({ queryKey }) > 0) readAgain({ queryKey })
}

export function putCredits(credits: Credits): void {
  const known = queries.getQueryData<Credits>(['credits'])
  if (!known || known.version <= credits.version) queries.setQueryData(['credits'], credits)
  readAgainIfReading(['credits'])
  for (const name of ['entries', 'debt']) readAgain({ queryKey: [name] })
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
  readAgainIfReading(['payments'])
  readAgain({ queryKey: ['checkout-session'] })
}

/** Everything the person owns is read again: after a (re)connect of the live stream nothing is missed. */
export function refetchAll(): void {
  readAgain({ predicate: ({ queryKey }) => queryKey[0] !== 'waveform' })
}
