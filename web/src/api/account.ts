import { queryOptions, useQuery } from '@tanstack/react-query'
import { call } from './client.ts'
import { queryClient } from './query-client.ts'

/** The person's account: where it is signed in, and what stands against closing it. */

const REFETCH_MS = 60_000
const current = { staleTime: 0, refetchInterval: REFETCH_MS }

const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: async ({ signal }) => (await call('GET /api/sessions', { signal })).items,
})

/** The person's sessions, newest first. */
export const useSessions = () => useQuery({ ...sessionsQuery, ...current })

export const refetchSessions = (): Promise<void> => queryClient.invalidateQueries(sessionsQuery)

/** The last sign-in becomes too old while the page is open. */
export const useClosing = () =>
  useQuery({
    queryKey: ['closing'],
    queryFn: ({ signal }) => call('GET /api/account/closing', { signal }),
    ...current,
  })
