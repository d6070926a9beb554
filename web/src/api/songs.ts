import { keepPreviousData, queryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { folded, MAX_PAGE, type Song } from '@prelude/contracts'
import { songName } from '../text/song-name.ts'
import { call } from './client.ts'
import { signedIn } from './me.ts'
import { allItems, newestFirst, pagedQuery, type SongRule, type Songs, upsertSong } from './pages.ts'
import { applyEvent, invalidate, LASTING, queryClient } from './query-client.ts'
import type { Page } from './routes.ts'

/** The person's songs: lists, each one, the order of those that wait, names; and how live events change them. */

const SONGS = 'songs'
const NAMES = 'song-names'

export interface SongFilter {
  readonly q: string
  /** Closed: cancelled or declined. Archived songs are left out by all others. */
  readonly show: '' | 'pending' | 'ready' | 'closed' | 'favourite' | 'archived'
  /** By title the untitled ones are last. */
  readonly sort: 'newest' | 'title'
}

export const songsQuery = (filter: SongFilter) => {
  const { q, show, sort } = filter
  const isMark = show === 'favourite' || show === 'archived'
  const query = { q, ...(isMark ? { [show]: true } : { status: show }), ...(sort === 'title' && { sort }) }
  return pagedQuery([SONGS, filter], 30, (position, signal) =>
    call('GET /api/songs', { query: { ...query, ...position }, signal }),
  )
}

/** A list of songs; the previous one until it is loaded. */
export const useSongs = (filter: SongFilter) =>
  useInfiniteQuery({ ...songsQuery(filter), placeholderData: keepPreviousData })

/** Whether there are archived songs; false until it is known. */
export const useHasArchived = (enabled: boolean): boolean =>
  useInfiniteQuery({ ...songsQuery({ q: '', show: 'archived', sort: 'newest' }), enabled }).data?.pages.some(
    ({ items }) => items.length > 0,
  ) ?? false

export const songQuery = (id: string) =>
  queryOptions({
    queryKey: ['song', id],
    queryFn: ({ signal }) => call('GET /api/songs/:id', { params: { id }, signal }),
  })

export const useSong = (id: string) => useQuery({ ...songQuery(id), placeholderData: () => cachedSong(id) })

/** Of a song that is not as this page shows it: a call has refused it. */
export function invalidateSong(id: string): void {
  for (const queryKey of [songQuery(id).queryKey, [SONGS]]) invalidate({ queryKey })
}

/** A song from the cached lists, as a placeholder until its own query has loaded. */
const cachedSong = (id: string): Song | undefined =>
  queryClient
    .getQueriesData<Songs>({ queryKey: [SONGS] })
    .flatMap(([, data]) => data?.pages.flatMap(({ items }) => items) ?? [])
    .find((song) => song.id === id)

/** All pending songs, newest first. */
export const pendingQuery = queryOptions({
  queryKey: ['pending'],
  queryFn: ({ signal }) =>
    allItems((position) => call('GET /api/songs', { query: { status: 'pending', ...position }, signal })),
})

/** Undefined until loaded. */
export const usePendingSongs = (enabled = true): readonly Song[] | undefined =>
  useQuery({ ...pendingQuery, enabled }).data

/** Those that wait for credits, in the order in which they are charged. */
export const waitingAmong = (pending: readonly Song[]): readonly Song[] =>
  pending.filter(({ charge }) => charge === 'declined').toReversed()

/** Of the newest songs those that waited for credits, were charged after a time and are not delivered. */
export function useChargedSince(at = Infinity): readonly Song[] {
  const { data } = useSongs({ q: '', show: 'pending', sort: 'newest' })
  const songs = data?.pages.flatMap(({ items }) => items) ?? []
  return songs.filter(
    ({ charge, timeline }) =>
      charge === 'charged' &&
      timeline.some(({ state }) => state === 'waiting') &&
      timeline.some((step) => step.state === 'paid' && step.at > at),
  )
}

/**
 * Names of the person's songs by id, in a few requests for all; while they are loading those of the cached lists, else an
 * ellipsis.
 */
export function useSongNames(ids: readonly string[]): ReadonlyMap<string, string> {
  const { data, isPending } = useQuery({
    ...songNamesQuery(ids),
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
  })
  return data ?? new Map(isPending ? ids.map((id) => [id, cachedName(id)]) : [])
}

export const songNamesQuery = (ids: readonly string[]) =>
  queryOptions({
    queryKey: [NAMES, ids],
    queryFn: ({ signal }) => fetchSongNames(ids, signal),
    meta: LASTING,
  })

function cachedName(id: string): string {
  const song = cachedSong(id)
  return song ? songName(song) : '…'
}

/** Reads lists of songs, newest first as their ids are, as far as the oldest of these reaches. */
async function fetchSongNames(
  ids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  const missing = new Set(ids)
  for (const archived of [undefined, true])
    for (let cursor: string | null = ''; cursor !== null && missing.size > 0;) {
      const oldest = [...missing].reduce((a, b) => (a < b ? a : b))
      const query = { archived, limit: MAX_PAGE, cursor }
      const page: Page<Song> = await call('GET /api/songs', { query, signal })
      for (const song of page.items) if (missing.delete(song.id)) found.set(song.id, songName(song))
      const last = page.items.at(-1)
      cursor = last && last.id < oldest ? null : page.nextCursor
    }
  return found
}

/** Whether a song matches a filter; the server applies the same rule. */
export function matchesFilter(
  song: Pick<Song, 'lyrics' | 'style' | 'status'> & Partial<Pick<Song, 'title' | 'favourite' | 'archived'>>,
  { q, show }: SongFilter,
): boolean {
  const phrase = folded(q)
  const texts = [song.title ?? '', song.lyrics, song.style]
  if (!texts.some((text) => folded(text).includes(phrase))) return false
  if ((song.archived ?? false) !== (show === 'archived')) return false
  if (show === 'favourite') return song.favourite ?? false
  if (show === 'closed') return song.status === 'cancelled' || song.status === 'declined'
  return show === '' || show === 'archived' || song.status === show
}

/** In a list by title, which the server sorts, a song stays where it is. */
export const ruleOf = (filter: SongFilter): SongRule => ({
  has: (song) => matchesFilter(song, filter),
  order: filter.sort === 'title' ? () => 0 : newestFirst,
})

/** Whether only the server can say where the song belongs: in a list by title. */
export function needsServerOrder({ pages }: Songs, song: Song, filter: SongFilter): boolean {
  if (filter.sort !== 'title' || !matchesFilter(song, filter)) return false
  const known = pages.flatMap(({ items }) => items).find(({ id }) => id === song.id)
  return known === undefined || (known.revision < song.revision && known.title !== song.title)
}

/** Writes a song of the person into every cached query that holds it, unless the cache has a newer revision. */
export function putSong(song: Song): void {
  // the operator's own album has no songs of others, and an answer may come after its person has signed out
  if (song.uid !== signedIn()?.uid) return
  const { queryKey: ownKey } = songQuery(song.id)
  const known = queryClient.getQueryData(ownKey) ?? queryClient.setQueryData(ownKey, song)
  applyEvent<Songs>({ queryKey: [SONGS] }, (data, { queryKey }) => {
    const filter = queryKey[1] as SongFilter
    if (!needsServerOrder(data, song, filter)) return upsertSong(data, song, ruleOf(filter))
    invalidate({ queryKey, exact: true })
    return data
  })
  applyEvent<Song>({ queryKey: ownKey }, (one) => (one.revision < song.revision ? song : one))
  if (known !== undefined && known.revision > song.revision) return
  applyEvent<readonly Song[]>(pendingQuery, (songs) => {
    const others = songs.filter(({ id }) => id !== song.id)
    return song.status === 'pending' && !song.archived ? [...others, song].toSorted(newestFirst) : others
  })
  const name = songName(song)
  applyEvent<ReadonlyMap<string, string>>({ queryKey: [NAMES] }, (names) =>
    names.has(song.id) && names.get(song.id) !== name ? new Map(names).set(song.id, name) : names,
  )
}
