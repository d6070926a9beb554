import { queryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { deliveredAt, type Song, type Stage } from '@prelude/contracts'
import { call } from './client.ts'
import { OPERATOR } from './me.ts'
import { allItems, byTime, newestFirst, pagedQuery, type SongRule, type Songs, upsertSong } from './pages.ts'
import { applyEvent, invalidate, queryClient } from './query-client.ts'
import type { AuditRow, PaymentRow, PersonAccount } from '@prelude/contracts'
import type { Page, Transfer } from './routes.ts'
import { songQuery } from './songs.ts'

/** What the unlocked operator reads, and how live events change it. */

interface OperatorLists {
  songs: Song
  transfers: Transfer
  debts: PersonAccount
  people: PersonAccount
  payments: PaymentRow
  audit: AuditRow
}
type ListName = keyof OperatorLists
type ListFilter = Readonly<Record<string, string>>

const PAGE = 50
const keyOf = (name: ListName) => [OPERATOR, name]

/** A paginated list under /api/operator. */
export const useOperatorList = <N extends ListName>(name: N, filter: ListFilter = {}) =>
  useInfiniteQuery({
    ...pagedQuery([...keyOf(name), filter], PAGE, (position, signal) => {
      const route: `GET /api/operator/${ListName}` = `GET /api/operator/${name}`
      return call(route, { query: { ...filter, ...position }, signal }) as Promise<Page<OperatorLists[N]>>
    }),
    refetchOnMount: 'always',
    // while a list is searched, its rows stay until those of the new phrase are there
    placeholderData: (rows, before) =>
      before?.queryKey[1] === name && (before.queryKey[2] as ListFilter).stage === filter['stage']
        ? rows
        : undefined,
  })

const STAGE_COUNTS = [OPERATOR, 'stage-counts']

/** How many songs the tabs of the desk have, or how many of them a search finds. */
export const useStageCounts = (q: string) =>
  useQuery({
    queryKey: [...STAGE_COUNTS, q],
    queryFn: async ({ signal }) => {
      const query = { stage: 'todo', limit: 1, q: q || undefined } as const
      return (await call('GET /api/operator/songs', { query, signal })).counts ?? null
    },
    placeholderData: (counts) => counts,
  }).data

/** Reads everything of the operator again, after a command. */
export const invalidateOperator = (): void => invalidate({ queryKey: [OPERATOR] })

/** Reads a song again, and the lists that may have it. */
export function invalidateOperatorSong(id: string): void {
  for (const queryKey of [keyOf('songs'), STAGE_COUNTS, songQuery(id).queryKey]) invalidate({ queryKey })
}

const PENDING = 'pending'

/** All pending songs, newest first. */
export const pendingSongsQuery = queryOptions({
  queryKey: [...keyOf('songs'), PENDING],
  queryFn: ({ signal }) =>
    allItems((position) =>
      call('GET /api/operator/songs', { query: { status: 'pending', ...position }, signal }),
    ),
})

/** Anyone's song; that of the lists until its own query has loaded. */
export const useOperatorSong = (id: string) =>
  useQuery({
    queryKey: [...keyOf('songs'), 'one', id],
    queryFn: ({ signal }) => call('GET /api/songs/:id', { params: { id }, signal }),
    placeholderData: () =>
      queryClient
        .getQueriesData<Songs>({ queryKey: keyOf('songs') })
        .flatMap(([, data]) => data?.pages?.flatMap(({ items }) => items) ?? [])
        .find((song) => song.id === id),
  })

/** The first song of a tab of the desk. Errors: ApiProblem. */
export const firstSongOf = async (stage: Stage): Promise<Song | undefined> =>
  (await call('GET /api/operator/songs', { query: { stage, limit: 1 } })).items[0]

/** The person with this uid or address, as they are now; null when there is none. */
export const usePerson = (by: 'uid' | 'email', value: string) =>
  useQuery({
    queryKey: [OPERATOR, 'person', by, value],
    queryFn: async ({ signal }) => {
      const { items } = await call('GET /api/operator/people', { query: { q: value }, signal })
      return items.find((person) => person[by] === value) ?? null
    },
    // what follows depends on the balance at this moment
    staleTime: 0,
    gcTime: 0,
  })

const NO_DEBTS: ReadonlyMap<string, number> = new Map()

const debtsQuery = queryOptions({
  queryKey: [OPERATOR, 'debt-by-uid'],
  queryFn: async ({ signal }): Promise<ReadonlyMap<string, number>> => {
    const debts = await allItems((query) => call('GET /api/operator/debts', { query, signal }))
    return new Map(debts.map(({ uid, debt }) => [uid, debt]))
  },
})

/** Debts by uid. There are few; all pages are fetched. */
export function useDebts(): { debts: ReadonlyMap<string, number>; isPending: boolean } {
  const { data } = useQuery(debtsQuery)
  return { debts: data ?? NO_DEBTS, isPending: data === undefined }
}

const isPaid = ({ charge }: Song): boolean => charge === 'charged' || charge === 'gift'
const isPromised = (song: Song): boolean =>
  song.status === 'pending' && isPaid(song) && song.promisedAt !== null
const isUnpaid = ({ status, charge }: Song): boolean =>
  status === 'pending' && (charge === 'declined' || charge === 'refunded')

/** Later than any promise: what is not paid for comes last. */
const UNPAID_AFTER_MS = 1e15
const byDue = byTime((song) => (isPaid(song) ? (song.promisedAt ?? 0) : song.createdAt + UNPAID_AFTER_MS), 1)

/** The tabs of the desk; the server applies the same rules. */
const STAGES: Readonly<Record<Stage, SongRule>> = {
  todo: { has: (song) => (isPromised(song) && song.startedAt === null) || isUnpaid(song), order: byDue },
  studio: { has: (song) => isPromised(song) && song.startedAt !== null, order: byDue },
  late: {
    has: (song) => isPromised(song) && song.timeline.some(({ state }) => state === 'late'),
    order: byDue,
  },
  changes: {
    has: ({ status, changes }) => status === 'ready' && changes?.state === 'asked',
    order: byTime(({ changes }) => changes?.askedAt ?? 0, 1),
  },
  delivered: {
    has: ({ status }) => status === 'ready',
    order: byTime((song) => deliveredAt(song) ?? 0, -1),
  },
}

/** Of a list of songs, by what was asked of the server. */
const operatorRule = ({ stage, status, uid, unread }: ListFilter): SongRule =>
  stage === undefined
    ? {
        has: (song) =>
          (status === undefined || song.status === status) &&
          (uid === undefined || song.uid === uid) &&
          (unread === undefined || song.messages.unread > 0),
        order: newestFirst,
      }
    : STAGES[stage as Stage]

/** Writes a song into every list of the operator, unless a list has a newer revision. */
export function putOperatorSong(song: Song): void {
  invalidate({ queryKey: STAGE_COUNTS })
  // as the player has it
  applyEvent<Song>(songQuery(song.id), (one) => (one.revision < song.revision ? song : one))
  applyEvent<Songs | Song | readonly Song[]>(
    { queryKey: keyOf('songs') },
    (data, { queryKey: [, , what] }) => {
      if ('pages' in data) {
        const filter = what as ListFilter
        const isListed = data.pages.some(({ items }) => items.some(({ id }) => id === song.id))
        // only the server says what a phrase is found in
        return filter['q'] === undefined || isListed ? upsertSong(data, song, operatorRule(filter)) : data
      }
      if ('revision' in data)
        // only a read of one song says whether mails to its owner are refused
        return data.id === song.id && data.revision < song.revision
          ? { ...song, mailsRefused: data.mailsRefused }
          : data
      const whole = { pages: [{ items: data, nextCursor: null }], pageParams: [] }
      return upsertSong(whole, song, operatorRule({ status: PENDING })).pages[0]?.items ?? data
    },
  )
}

/** A transfer that is settled leaves the list of those that wait. */
export function putTransfer(transfer: Transfer): void {
  applyEvent<{ pages: readonly Page<Transfer>[] }>({ queryKey: keyOf('transfers') }, (data) => {
    const isKnown = data.pages.some(({ items }) => items.some(({ id }) => id === transfer.id))
    const waits = transfer.status === 'open'
    if (isKnown === waits) return data
    const pages = data.pages.map((page, n) => {
      const others = page.items.filter(({ id }) => id !== transfer.id)
      return { ...page, items: waits && n === 0 ? [transfer, ...others] : others }
    })
    return { ...data, pages }
  })
}

export function putDebt({ uid, debt }: { readonly uid: string; readonly debt: number }): void {
  applyEvent<ReadonlyMap<string, number>>(debtsQuery, (debts) => new Map(debts).set(uid, debt))
  for (const name of ['debts', 'people'] as const) invalidate({ queryKey: keyOf(name) })
}
