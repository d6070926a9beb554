import './browser.ts'
import type { Draft, Me, Song } from '@prelude/contracts'
import { environmentManager, InfiniteQueryObserver, QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { meQuery } from '../src/api/me.ts'
import { draftsQuery, putDraft } from '../src/api/drafts.ts'
import { putNotice } from '../src/api/notices.ts'
import { paymentsQuery, putPayment } from '../src/api/payments.ts'
import { pendingSongsQuery, putOperatorSong } from '../src/api/operator.ts'
import type { Songs } from '../src/api/pages.ts'
import { pendingQuery, putSong, songsQuery, waitingAmong } from '../src/api/songs.ts'
import { invalidate, queryClient, refetchAll } from '../src/api/query-client.ts'
import { heldApi, song } from './held-api.ts'

beforeEach(() => void vi.useFakeTimers({ shouldAdvanceTime: true }))

afterEach(async () => {
  // no burst of invalidations goes on into the next test
  await vi.advanceTimersByTimeAsync(1_000)
  vi.useRealTimers()
  environmentManager.setIsServer(() => true)
  queryClient.clear()
  vi.unstubAllGlobals()
})

const ALL = { q: '', show: '', sort: 'newest' } as const
const page = <T>(...items: T[]) => ({ items, nextCursor: null })
const draft = (n: number, state = 'making') => ({ id: `draft-${n}`, songId: 'id-1', n, state }) as Draft
const payment = (revision: number) => ({ id: 'payment-1', revision })

const READS = {
  songs: () => {
    const observer = new InfiniteQueryObserver(queryClient, songsQuery(ALL))
    observer.subscribe(() => {})
    return () =>
      observer.getCurrentResult().data?.pages.flatMap(({ items }) => items.map(({ style }) => style))
  },
  waiting: () => {
    const observer = new QueryObserver(queryClient, pendingQuery)
    observer.subscribe(() => {})
    return () => {
      const { data } = observer.getCurrentResult()
      return data && waitingAmong(data).map(({ id }) => id)
    }
  },
  drafts: () => {
    const observer = new QueryObserver(queryClient, draftsQuery('id-1'))
    observer.subscribe(() => {})
    return () => observer.getCurrentResult().data?.items.map(({ n, state }) => `${n} ${state}`)
  },
  payments: () => {
    const observer = new QueryObserver(queryClient, paymentsQuery)
    observer.subscribe(() => {})
    return () => observer.getCurrentResult().data?.map(({ revision }) => revision)
  },
}

test.for<[what: string, read: keyof typeof READS, change: () => void, old: object, seen: unknown]>([
  [
    'a song',
    'songs',
    () => putSong(song(1, { revision: 2, style: 'new' })),
    page(song(1, { style: 'old' })),
    ['new'],
  ],
  ['a new song', 'songs', () => putSong(song(2)), page(song(1)), ['folk', 'folk']],
  [
    'a charged song',
    'waiting',
    () => putSong(song(1, { revision: 2, charge: 'charged' })),
    page(song(1, { charge: 'declined' })),
    [],
  ],
  [
    'a song that waits',
    'waiting',
    () => putSong(song(2, { charge: 'declined' })),
    page(song(1, { charge: 'declined' })),
    ['id-1', 'id-2'],
  ],
  [
    'a draft that is ready',
    'drafts',
    () => putDraft(draft(1, 'ready')),
    page(draft(2), draft(1)),
    ['2 making', '1 ready'],
  ],
  ['a new draft', 'drafts', () => putDraft(draft(2)), page(draft(1)), ['2 making', '1 making']],
  [
    'a draft that is removed',
    'drafts',
    () => putDraft({ ...draft(1), state: 'removed' }),
    page(draft(2), draft(1)),
    ['2 making'],
  ],
  ['a payment', 'payments', () => putPayment(payment(2) as never), page(payment(1)), [2]],
])(
  'an event of %s while %s are read is applied to the answer, with no other read',
  async ([, read, change, old, seen]) => {
    const api = heldApi()
    const data = READS[read]()
    change()
    api.answer(0, old)
    await expect.poll(() => data()).toEqual(seen)
    expect(queryClient.isFetching()).toBe(0)
    expect(api.paths).toHaveLength(1)
  },
)

test('a read under way when the live stream connects ends, and is followed by one more', async () => {
  const api = heldApi()
  const data = READS.payments()
  for (let n = 0; n < 5; n++) {
    refetchAll()
    await vi.advanceTimersByTimeAsync(600)
  }
  expect(api.paths).toHaveLength(1)
  api.answer(0, page(payment(1)))
  await expect.poll(() => api.paths).toHaveLength(2)
  expect(data()).toEqual([1])
  api.answer(1, page(payment(2)))
  await expect.poll(() => data()).toEqual([2])
  await vi.advanceTimersByTimeAsync(1_000)
  expect(api.paths).toHaveLength(2)
})

test('payments come from every page', async () => {
  const api = heldApi()
  const data = READS.payments()
  api.answer(0, { items: [payment(1)], nextCursor: 'more' })
  await expect.poll(() => api.paths).toHaveLength(2)
  api.answer(1, page(payment(2)))
  await expect.poll(() => data()).toEqual([1, 2])
})

test('the ids of waiting songs come from every page, oldest first', async () => {
  const api = heldApi()
  const data = READS.waiting()
  api.answer(0, {
    items: [song(9, { charge: 'declined' }), song(8, { charge: 'charged' })],
    nextCursor: 'more',
  })
  await expect.poll(() => api.paths).toHaveLength(2)
  expect(api.paths[1]).toBe(`${api.paths[0]}&cursor=more`)
  api.answer(1, page(song(7, { charge: 'declined' })))
  await expect.poll(() => data()).toEqual(['id-7', 'id-9'])
})

test('a song from a live event is inserted into the loaded pages, and left out when its page is not loaded', () => {
  const { queryKey } = songsQuery(ALL)
  const listed = () =>
    queryClient.getQueryData(queryKey)!.pages.flatMap(({ items }) => items.map(({ createdAt }) => createdAt))
  const read = (nextCursor: string | null): void =>
    void queryClient.setQueryData(queryKey, {
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

test('a song of another person, which the operator reads, is not put into the own album', () => {
  const { queryKey } = songsQuery(ALL)
  queryClient.setQueryData(queryKey, { pages: [page(song(1))], pageParams: [''] })
  queryClient.setQueryData<Partial<Me>>(['me'], { uid: 'ada' })
  putSong(song(2, { uid: 'bola' }))
  expect(queryClient.getQueryData(queryKey)?.pages[0]?.items).toHaveLength(1)
  putSong(song(2, { uid: 'ada' }))
  expect(queryClient.getQueryData(queryKey)?.pages[0]?.items).toHaveLength(2)
})

test('a list of the operator that is read while songs change ends with the newest of each', async () => {
  const api = heldApi()
  const observer = new QueryObserver(queryClient, pendingSongsQuery)
  observer.subscribe(() => {})
  const change = (from: number): void => {
    for (let revision = from; revision < from + 50; revision++) putOperatorSong(song(1, { revision }))
    putOperatorSong(song(2, { revision: from, status: 'ready' }))
    putOperatorSong(song(3))
  }
  change(2)
  api.answer(0, page(song(2), song(1)))
  const listed = () => observer.getCurrentResult().data?.map(({ id, revision }) => [id, revision])
  await expect.poll(listed).toEqual([
    ['id-3', 1],
    ['id-1', 51],
  ])
  change(60)
  expect(listed()).toEqual([
    ['id-3', 1],
    ['id-1', 109],
  ])
  expect(api.paths).toHaveLength(1)
})

const REQUEST: Partial<Song> = {
  charge: 'charged',
  promisedAt: 50,
  startedAt: null,
  changes: null,
  timeline: [],
}
const delivered = (at: number): Partial<Song> => ({
  status: 'ready',
  timeline: [{ state: 'delivered', at }],
})
test.for<[tab: string, change: Partial<Song>, where: number | null]>([
  ['todo', {}, 1],
  ['todo', { promisedAt: 5 }, 0],
  ['todo', { charge: 'declined' }, 2],
  ['todo', { startedAt: 1 }, null],
  ['todo', { charge: 'deciding', promisedAt: null }, null],
  ['studio', { startedAt: 1 }, 1],
  ['studio', {}, null],
  ['late', { timeline: [{ state: 'late', at: 50 }] }, 1],
  ['late', {}, null],
  ['changes', { status: 'ready', changes: { state: 'asked', askedAt: 50 } as never }, 1],
  ['changes', { status: 'ready', changes: { state: 'delivered', askedAt: 50 } as never }, null],
  ['delivered', delivered(50), 1],
  ['delivered', delivered(500), 0],
  ['delivered', { status: 'declined' }, null],
])('a song in the tab %s of the desk with %j has the position %s', ([stage, change, where]) => {
  const at = (n: number, id: string) =>
    song(n, {
      ...REQUEST,
      id,
      promisedAt: n,
      changes: { askedAt: n } as never,
      ...(stage === 'delivered' && delivered(n)),
    })
  const early = at(10, 'early')
  const late = at(100, 'late')
  const items = stage === 'delivered' ? [late, early] : [early, late]
  for (const nextCursor of [null, 'more'])
    queryClient.setQueryData(['operator', 'songs', { stage }, nextCursor], {
      pages: [
        { items: [song(3, { ...REQUEST, promisedAt: 1, id: 'it', revision: 0 }), ...items], nextCursor },
      ],
      pageParams: [''],
    })
  putOperatorSong(song(3, { ...REQUEST, ...change, id: 'it' }))
  const positions = queryClient
    .getQueriesData<Songs>({ queryKey: ['operator', 'songs', { stage }] })
    .map(([, data]) => data?.pages[0]?.items.findIndex(({ id }) => id === 'it'))
  const isLast = where === 2
  expect(positions).toEqual([where ?? -1, isLast ? -1 : (where ?? -1)])
})

test('of a burst of invalidations a list is read again at once and at the end', async () => {
  const api = heldApi()
  READS.payments()
  api.answer(0, page(payment(1)))
  await expect.poll(() => queryClient.isFetching()).toBe(0)
  for (let n = 0; n < 20; n++) invalidate(paymentsQuery)
  expect(api.paths).toHaveLength(2)
  api.answer(1, page(payment(2)))
  await vi.advanceTimersByTimeAsync(600)
  expect(api.paths).toHaveLength(3)
  await vi.advanceTimersByTimeAsync(2_000)
  expect(api.paths).toHaveLength(3)
})

test('a query that fails is tried again a few times; who is signed in, without end', async () => {
  const tries = { payments: 0, me: 0 }
  vi.stubGlobal('fetch', (path: string) => {
    tries[path.includes('payments') ? 'payments' : 'me']++
    return Promise.resolve(Response.json({ code: 'unavailable', detail: 'Down' }, { status: 503 }))
  })
  const payments = new QueryObserver(queryClient, paymentsQuery)
  payments.subscribe(() => {})
  const stop = new QueryObserver(queryClient, meQuery).subscribe(() => {})
  await vi.advanceTimersByTimeAsync(120_000)
  expect(payments.getCurrentResult().status).toBe('error')
  expect(tries.payments).toBe(7)
  expect(tries.me).toBeGreaterThan(15)
  stop()
})

test('what could not be read again is tried again, also when an event came meanwhile', async () => {
  // without a window no interval runs
  environmentManager.setIsServer(() => false)
  const answers = {
    ok: () => Response.json(page(payment(1))),
    down: () => new Response('{}', { status: 503 }),
  }
  let answer = answers.ok
  vi.stubGlobal('fetch', async () => answer())
  const data = READS.payments()
  const status = () => queryClient.getQueryState(paymentsQuery.queryKey)?.status
  await expect.poll(data).toEqual([1])
  answer = answers.down
  invalidate(paymentsQuery)
  while (status() !== 'error') await vi.advanceTimersByTimeAsync(1_000)
  putPayment(payment(2) as never)
  expect([status(), data()]).toEqual(['success', [2]])
  answer = () => Response.json(page(payment(3)))
  await vi.advanceTimersByTimeAsync(15_000)
  await expect.poll(data).toEqual([3])
})

test('an error of a query that is no answer of the server is reported', async () => {
  const sent = vi.fn<typeof fetch>(async () => new Response())
  vi.stubGlobal('fetch', sent)
  vi.stubGlobal('location', { pathname: '/' })
  const broken = { queryKey: ['broken'], queryFn: () => Promise.reject(new TypeError('not a function')) }
  await expect(queryClient.fetchQuery({ ...broken, retry: false })).rejects.toThrow('not a function')
  expect(sent).toHaveBeenCalledWith('/api/client-errors', expect.objectContaining({ method: 'POST' }))
})

test('a notice that is known moves to its later time, and stays read at the time it has', () => {
  const notice = (id: string, at: number, readAt: number | null = null) =>
    ({ id, kind: 'message', title: 'folk', songId: id, at, readAt }) as const
  queryClient.setQueryData(['notices'], page(notice('b', 2), notice('a', 1)))
  const shown = () => queryClient.getQueryData(['notices'])
  putNotice(notice('a', 3))
  expect(shown()).toEqual(page(notice('a', 3), notice('b', 2)))
  putNotice(notice('a', 3, 4))
  for (const old of [notice('a', 3), notice('a', 1)]) putNotice(old)
  expect(shown()).toEqual(page(notice('a', 3, 4), notice('b', 2)))
})
