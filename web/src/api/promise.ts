import { queryOptions, useQuery } from '@tanstack/react-query'
import { call } from './client.ts'

const READ_EVERY_MS = 60_000

const promiseQuery = queryOptions({
  queryKey: ['promise'],
  queryFn: ({ signal }) => call('GET /api/promise', { signal }),
  refetchInterval: READ_EVERY_MS,
  refetchOnWindowFocus: 'always',
})

/** When a song would be ready that is charged now; undefined while that is not known. */
export function useNextPromise(): number | undefined {
  const { data, isError } = useQuery(promiseQuery)
  return isError ? undefined : data?.readyBy
}
