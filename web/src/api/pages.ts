import {
  infiniteQueryOptions,
  type InfiniteData,
  type QueryKey,
  type UseInfiniteQueryResult,
} from '@tanstack/react-query'
import { MAX_PAGE, type Song } from '@prelude/contracts'
import type { Page } from './routes.ts'

/** Lists of the API: how they are read, page after page, and how a song of a live event gets its place in them. */

type Position = { readonly limit: number; readonly cursor: string }

/** Options of a list that grows page by page. */
export const pagedQuery = <T>(
  queryKey: QueryKey,
  limit: number,
  read: (query: Position, signal: AbortSignal) => Promise<Page<T>>,
) =>
  infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) => read({ limit, cursor: pageParam }, signal),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  })

/** All items of a list. */
export async function allItems<T>(read: (query: Position) => Promise<Page<T>>): Promise<readonly T[]> {
  const items: T[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: Page<T> = await read({ limit: MAX_PAGE, cursor })
    items.push(...page.items)
    cursor = page.nextCursor
  }
  return items
}

/** A list that grows page by page, as a component reads it. */
export type PagedList<T> = UseInfiniteQueryResult<InfiniteData<Page<T>>>

/** Loads the next page of a list. A fetch of what is there is awaited: TanStack Query would cancel it, and count the list as fresh. */
export async function loadMore(
  list: Pick<UseInfiniteQueryResult, 'isFetching' | 'isFetchingNextPage' | 'refetch' | 'fetchNextPage'>,
): Promise<void> {
  if (list.isFetchingNextPage) return
  if (list.isFetching) await list.refetch({ cancelRefetch: false })
  await list.fetchNextPage()
}

/** The loaded pages of a song list. `end` is the song that a page ended with when it was read, and that has left it since. */
export type Songs = InfiniteData<Page<Song> & { readonly end?: Song | undefined }, string>

/** Which songs a list has, and in which order. */
export interface SongRule {
  readonly has: (song: Song) => boolean
  readonly order: (a: Song, b: Song) => number
}

/** By a time, then by id; `direction` is 1 for the oldest first. */
export const byTime =
  (timeOf: (song: Song) => number, direction: 1 | -1) =>
  (a: Song, b: Song): number =>
    direction * (timeOf(a) - timeOf(b) || (a.id === b.id ? 0 : a.id < b.id ? -1 : 1))

export const newestFirst = byTime(({ createdAt }) => createdAt, -1)

/**
 * Inserts, updates or removes a song in the loaded pages: it replaces an older revision, and has the position that the order
 * gives it. It is left out when its page is not loaded yet. Unchanged pages and rows keep their identity, so that React does
 * not render them again.
 */
export function upsertSong(data: Songs, song: Song, { has, order }: SongRule): Songs {
  // more than one: it has moved between the reads of two pages
  const copies = data.pages.flatMap(({ items }) => items.filter(({ id }) => id === song.id))
  const [known] = copies
  if (known ? copies.every(({ revision }) => revision >= song.revision) : !has(song)) return data
  if (known && copies.length === 1 && has(song) && order(known, song) === 0)
    return withPage(data, known, ({ items }) => ({ items: items.map((one) => (one === known ? song : one)) }))
  const others = copies.reduce(
    (rest, copy) =>
      withPage(rest, copy, ({ items, end = items.at(-1) }) => ({
        items: items.filter((one) => one !== copy),
        end,
      })),
    data,
  )
  if (!has(song)) return others
  const last = others.pages.at(-1)
  const isLoaded = last?.nextCursor === null || (last?.end !== undefined && order(song, last.end) <= 0)
  const page =
    others.pages.find(({ items }) => items.some((one) => order(song, one) < 0)) ??
    (isLoaded ? last : undefined)
  if (!page) return others
  const items = [...page.items, song].toSorted(order)
  return { ...others, pages: others.pages.map((one) => (one === page ? { ...page, items } : one)) }
}

type SongPage = Songs['pages'][number]

/** With the page changed that has this song. */
const withPage = (data: Songs, song: Song, change: (page: SongPage) => Partial<SongPage>): Songs => ({
  ...data,
  pages: data.pages.map((page) => (page.items.includes(song) ? { ...page, ...change(page) } : page)),
})
