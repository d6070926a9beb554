import { queryOptions, useQuery } from '@tanstack/react-query'
import type { Notice } from '@prelude/contracts'
import { call } from './client.ts'
import { signedIn } from './me.ts'
import { applyEvent } from './query-client.ts'
import type { Page } from './routes.ts'

const noticesQuery = queryOptions({
  queryKey: ['notices'],
  queryFn: ({ signal }) => call('GET /api/notices', { signal }),
})

/** The newest notices, newest first; undefined until loaded. */
export function useNotices() {
  const query = useQuery(noticesQuery)
  return { notices: query.data?.items, query }
}

const change = (update: (items: readonly Notice[]) => readonly Notice[]): void =>
  applyEvent<Page<Notice>>(noticesQuery, (page) => ({ ...page, items: update(page.items) }))

/** One that is known may have moved to a later time, or was read. */
export const putNotice = (notice: Notice): void =>
  change((items) => {
    const known = items.find(({ id }) => id === notice.id)
    if (known && (known.at > notice.at || (known.at === notice.at && known.readAt !== null))) return items
    const others = items.filter((one) => one !== known)
    return [...others, notice].toSorted((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1))
  })

/** Those up to this time, inclusive. */
export const putNoticesRead = ({ before }: { before: number }): void =>
  change((items) =>
    items.map((one) => (one.at <= before ? { ...one, readAt: one.readAt ?? Date.now() } : one)),
  )

/** Marks those that are shown. The other tabs follow by the live stream. */
export async function markNoticesRead(shown: readonly Notice[]): Promise<void> {
  const before = Math.max(...shown.map(({ at }) => at))
  const uid = signedIn()?.uid
  await call('POST /api/notices/read', { body: { before } })
  // those of the next person are not read
  if (uid === signedIn()?.uid) putNoticesRead({ before })
}
