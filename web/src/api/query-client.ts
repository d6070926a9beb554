import { hashKey, type Query, QueryCache, QueryClient, type QueryFilters } from '@tanstack/react-query'
import { isTemporary } from './client.ts'
import { reportError } from './client-errors.ts'

/** With the delays between them they take some 20 s; then the page shows the error with "Try again". */
const MAX_RETRIES = 6
const REFETCH_MS = 15_000

type Update = (data: unknown, query: Query) => unknown

/** What came while a query was being read: its answer may be older. */
interface Meanwhile {
  readonly updates: Update[]
  isInvalid: boolean
}
const meanwhile = new WeakMap<Query, Meanwhile>()

function meanwhileOf(query: Query): Meanwhile {
  const known = meanwhile.get(query) ?? { updates: [], isInvalid: false }
  meanwhile.set(query, known)
  return known
}

const queryCache = new QueryCache({
  // what the API refuses is no fault of the app
  onError: reportError,
  onSettled: (_data, _error, settled) => {
    const query = settled as Query
    const came = meanwhile.get(query)
    meanwhile.delete(query)
    for (const update of came?.updates ?? []) apply(query, update)
    if (came?.isInvalid) void queryClient.invalidateQueries({ queryKey: query.queryKey, exact: true })
  },
})

/** Retries temporary failures with exponential backoff, a few times. What is on screen is read again when the live stream connects. */
export const queryClient = new QueryClient({
  queryCache,
  defaultOptions: {
    queries: {
      retry: (count, error) => count < MAX_RETRIES && isTemporary(error),
      // what is on the page and could not be read again is tried again, also once an event has replaced its error; without
      // data there is a button
      refetchInterval: ({ state: { isInvalidated, data, error } }) =>
        isInvalidated && data !== undefined && (error === null || isTemporary(error)) ? REFETCH_MS : false,
      retryDelay: (attempt) => Math.min(500 * 2 ** attempt, 5_000) * (0.75 + Math.random() / 2),
      refetchOnWindowFocus: false,
      staleTime: 30_000,
    },
  },
})

/** `meta` of what does not change, or not so that it matters: it is not read again when the live stream connects. */
export const LASTING = { isLasting: true }

/** Removes all cached data of the person, before another one signs in. `kept`: the key of what stays. */
export const clearUserCache = (kept: string): void =>
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== kept })

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

/** A read that is under way is not restarted, which could go on without end: once it has ended there is another one. */
function refetch(filters: QueryFilters): void {
  for (const query of queryCache.findAll({ ...filters, type: 'active', fetchStatus: 'fetching' }))
    meanwhileOf(query).isInvalid = true
  void queryClient.invalidateQueries(filters, { cancelRefetch: false })
}

/** Refetches everything that changes; called on each connect of the live stream. */
export function refetchAll(): void {
  invalidate({ predicate: ({ meta }) => meta !== LASTING })
}

/**
 * Applies a live event to cached queries: at once, and again to the answer of a read that is under way, which may be older.
 * `update` returns the same data when the event changes nothing.
 */
export function applyEvent<T>(filters: QueryFilters, update: (data: T, query: Query) => T): void {
  for (const query of queryCache.findAll(filters)) {
    const untyped = update as Update
    if (query.state.fetchStatus !== 'idle') meanwhileOf(query).updates.push(untyped)
    apply(query, untyped)
  }
}

function apply(query: Query, update: Update): void {
  const { data, dataUpdatedAt, isInvalidated } = query.state
  if (data === undefined) return
  const next = update(data, query)
  if (next === data) return
  queryClient.setQueryData(query.queryKey, next, { updatedAt: dataUpdatedAt })
  // one event does not bring what was missed before
  if (isInvalidated) query.invalidate()
}
