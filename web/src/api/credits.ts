import { queryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { Credits } from '@prelude/contracts'
import { call } from './client.ts'
import { useMe } from './me.ts'
import { pagedQuery } from './pages.ts'
import { applyEvent, invalidate, queryClient } from './query-client.ts'

/** The person's credits: balance, debt and statement. */

const creditsQuery = queryOptions({
  queryKey: ['credits'],
  queryFn: ({ signal }) => call('GET /api/credits', { signal }),
})

/** The balance; undefined until the credits service has answered. */
export function useCredits(): number | undefined {
  const { me } = useMe()
  const first = me?.credits ?? undefined
  const { data } = useQuery({ ...creditsQuery, enabled: first !== undefined })
  return first === undefined ? undefined : (data?.balance ?? first)
}

const debtQuery = queryOptions({
  queryKey: ['debt'],
  queryFn: ({ signal }) => call('GET /api/credits/debt', { signal }),
})

/** The person's debt: credits of a reversed payment that were already spent; 0 until loaded. */
export const useDebt = (enabled = true): number => useQuery({ ...debtQuery, enabled }).data?.debt ?? 0

export const entriesQuery = pagedQuery(['entries'], 50, (query, signal) =>
  call('GET /api/credits/entries', { query, signal }),
)

/** The statement, newest first. */
export const useEntries = () => useInfiniteQuery(entriesQuery)

export function putCredits(credits: Credits): void {
  applyEvent<Credits>(creditsQuery, (known) => (known.version < credits.version ? credits : known))
  // also where they could not be read
  queryClient.setQueryData<Credits>(creditsQuery.queryKey, (known) => known ?? credits)
  for (const { queryKey } of [entriesQuery, debtQuery]) invalidate({ queryKey })
}
