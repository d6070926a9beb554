import { hashKey, QueryCache, QueryClient, type QueryFilters, type QueryKey } from '@tanstack/react-query'
import { reportError } from './client-errors.ts'
import { isTemporary } from './client.ts'
import { isLasting } from './query-keys.ts'

/** With the delays between them they take some 20 s; then the page shows the error with "Try again". */
const MAX_RETRIES = 6
const REFETCH_MS = 15_000

/** Retries temporary failures with exponential backoff, a few times. What is on screen is read again when the live stream connects. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: reportError }),
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

/** Removes all cached data of the person, before another one signs in. */
export const clearUserCache = (): void =>
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'me' })

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

/** Refetches everything that changes; called on each connect of the live stream. */
export function refetchAll(): void {
  invalidate({ predicate: ({ queryKey }) => !isLasting(queryKey) })
}
