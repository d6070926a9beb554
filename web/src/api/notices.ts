import { queryOptions, useQuery } from '@tanstack/react-query'
import type { Notice } from '@prelude/contracts'
import { api } from './client.ts'
import type { Page } from './pages.ts'
import { signedIn } from './me.ts'
import { invalidateIfFetching, queryClient } from './query-client.ts'
import { queryKeys } from './query-keys.ts'

const noticesQuery = queryOptions({
  queryKey: queryKeys.notices,
  queryFn: ({ signal }) => api.get<Page<Notice>>('/api/notices', { signal }),
})

/** The newest notices, newest first; undefined until loaded. */
export function useNotices() {
  const query = useQuery(noticesQuery)
  return { notices: query.data?.items, query }
}

const change = (update: (items: readonly Notice[]) => readonly Notice[]): void => {
  queryClient.setQueryData(noticesQuery.queryKey, (page) => page && { ...page, items: update(page.items) })
  // a response in flight may be older
  invalidateIfFetching(noticesQuery.queryKey)
}

export const putNotice = (notice: Notice): void =>
  change((items) =>
    items.some(({ id }) => id === notice.id)
      ? items
      : [...items, notice].toSorted((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1)),
  )

/** Those up to this time, inclusive. */
export const putNoticesRead = ({ before }: { before: number }): void =>
  change((items) =>
    items.map((one) => (one.at <= before ? { ...one, readAt: one.readAt ?? Date.now() } : one)),
  )

/** Marks those that are shown. The other tabs follow by the live stream. */
export async function markNoticesRead(shown: readonly Notice[]): Promise<void> {
  const before = Math.max(...shown.map(({ at }) => at))
  const uid = signedIn()?.uid
  await api.post('/api/notices/read', { before })
  // those of the next person are not read
  if (uid === signedIn()?.uid) putNoticesRead({ before })
}
