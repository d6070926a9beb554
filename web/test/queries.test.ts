import { type InfiniteData, QueryObserver } from '@tanstack/react-query'
import type { Song } from '@prelude/contracts'
import { beforeEach, expect, test, vi } from 'vitest'
import type { Page, SongFilter } from '../src/api/pages.ts'
import { putPayment, putSong, queries, refetchAll } from '../src/api/queries.ts'

// the settings of the house are read from the page
vi.hoisted(() => Object.assign(globalThis, { document: { querySelector: () => null } }))

beforeEach(() => queries.clear())

/** What a page shows of this, as the server's answers come in the order in which the test gives them. */
function shown(queryKey: readonly unknown[]) {
  const asked: PromiseWithResolvers<unknown>[] = []
  const observer = new QueryObserver(queries, {
    queryKey,
    queryFn: () => {
      const answer = Promise.withResolvers<unknown>()
      asked.push(answer)
      return answer.promise
    },
  })
  observer.subscribe(() => {})
  return { asked, data: () => observer.getCurrentResult().data }
}

const song = (n: number): Song =>
  ({
    id: `song-${n}`,
    createdAt: n,
    revision: 1,
    lyrics: 'la',
    style: `Style ${n}`,
    status: 'pending',
  }) as Song

test.for<[what: string, queryKey: string, news: () => void]>([
  ['the line is up', 'waiting', refetchAll],
  ['a song has changed', 'songs', () => putSong(song(1))],
  ['a song has changed', 'waiting', () => putSong(song(1))],
  ['a payment has changed', 'payments', () => putPayment({ id: 'payment-1', revision: 2 } as never)],
])('a first answer that was under way when %s is not what stays (%s)', async ([, queryKey, news]) => {
  const { asked, data } = shown([queryKey, { q: '', status: '' }])
  news()
  expect(asked).toHaveLength(2)
  asked[0]!.resolve('old')
  asked[1]!.resolve('new')
  await vi.waitFor(() => expect(data()).toBe('new'), { timeout: 10_000 })
})

test('a later answer that was under way does not overwrite a payment that was heard of', async () => {
  const { asked, data } = shown(['payments'])
  const page = (revision: number) => ({ items: [{ id: 'payment-1', revision }], nextCursor: null })
  asked[0]!.resolve(page(1))
  await vi.waitFor(() => expect(data()).toEqual(page(1)), { timeout: 10_000 })
  refetchAll()
  putPayment(page(2).items[0] as never)
  asked[1]!.resolve(page(1))
  asked.at(-1)!.resolve(page(2))
  await vi.waitFor(() => expect(queries.isFetching()).toBe(0), { timeout: 10_000 })
  expect(data()).toEqual(page(2))
})

test('a song that is heard of joins the pages that were read, and waits for its own when that is further down', () => {
  const key = ['songs', { q: '', status: '' } satisfies SongFilter]
  const listed = () =>
    queries
      .getQueryData<InfiniteData<Page<Song>, string>>(key)!
      .pages.flatMap(({ items }) => items.map(({ createdAt }) => createdAt))
  const read = (nextCursor: string | null): void =>
    void queries.setQueryData(key, {
      pages: [{ items: [song(9), song(7), song(5)], nextCursor }],
      pageParams: [''],
    })
  read('further')
  for (const n of [10, 8, 3]) putSong(song(n))
  expect(listed()).toEqual([10, 9, 8, 7, 5])
  read(null)
  putSong(song(3))
  expect(listed()).toEqual([9, 7, 5, 3])
})
