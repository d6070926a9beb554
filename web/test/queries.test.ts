import { type InfiniteData, QueryObserver } from '@tanstack/react-query'
import type { Song } from '@prelude/contracts'
import { beforeEach, expect, test, vi } from 'vitest'
import type { Page, SongFilter } from '../src/api/pages.ts'
import { putPayment, putSong, queryClient, refetchAll } from '../src/api/queries.ts'

// messages.ts reads the site configuration from meta tags
vi.hoisted(() => Object.assign(globalThis, { document: { querySelector: () => null } }))

beforeEach(() => queryClient.clear())

/** Observes a query whose responses the test resolves in the order it chooses. */
function observe(queryKey: readonly unknown[]) {
  const requests: PromiseWithResolvers<unknown>[] = []
  const observer = new QueryObserver(queryClient, {
    queryKey,
    queryFn: () => {
      const response = Promise.withResolvers<unknown>()
      requests.push(response)
      return response.promise
    },
  })
  observer.subscribe(() => {})
  return { requests, data: () => observer.getCurrentResult().data }
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

test.for<[what: string, queryKey: string, change: () => void]>([
  ['the live stream connects', 'waiting', refetchAll],
  ['a song changes', 'songs', () => putSong(song(1))],
  ['a song changes', 'waiting', () => putSong(song(1))],
  ['a payment changes', 'payments', () => putPayment({ id: 'payment-1', revision: 2 } as never)],
])('a first response in flight when %s is discarded (%s)', async ([, queryKey, change]) => {
  const { requests, data } = observe([queryKey, { q: '', status: '' }])
  change()
  expect(requests).toHaveLength(2)
  requests[0]!.resolve('old')
  requests[1]!.resolve('new')
  await vi.waitFor(() => expect(data()).toBe('new'), { timeout: 10_000 })
})

test('a response in flight does not overwrite a payment from a live event', async () => {
  const { requests, data } = observe(['payments'])
  const page = (revision: number) => ({ items: [{ id: 'payment-1', revision }], nextCursor: null })
  requests[0]!.resolve(page(1))
  await vi.waitFor(() => expect(data()).toEqual(page(1)), { timeout: 10_000 })
  refetchAll()
  putPayment(page(2).items[0] as never)
  requests[1]!.resolve(page(1))
  requests.at(-1)!.resolve(page(2))
  await vi.waitFor(() => expect(queryClient.isFetching()).toBe(0), { timeout: 10_000 })
  expect(data()).toEqual(page(2))
})

test('a song from a live event is inserted into the loaded pages, and left out when its page is not loaded', () => {
  const key = ['songs', { q: '', status: '' } satisfies SongFilter]
  const listed = () =>
    queryClient
      .getQueryData<InfiniteData<Page<Song>, string>>(key)!
      .pages.flatMap(({ items }) => items.map(({ createdAt }) => createdAt))
  const read = (nextCursor: string | null): void =>
    void queryClient.setQueryData(key, {
      pages: [{ items: [song(9), song(7), song(5)], nextCursor }],
      pageParams: [''],
    })
  read('next')
  for (const n of [10, 8, 3]) putSong(song(n))
  expect(listed()).toEqual([10, 9, 8, 7, 5])
  read(null)
  putSong(song(3))
  expect(listed()).toEqual([9, 7, 5, 3])
})
