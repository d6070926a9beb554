import type { InfiniteData } from '@tanstack/react-query'
import type { Song } from '@prelude/contracts'

/** One page of a list of the API. */
export interface Page<T> {
  readonly items: readonly T[]
  /** Null on the last page. */
  readonly nextCursor: string | null
}

export interface SongFilter {
  readonly q: string
  /** Closed: cancelled or declined. Archived songs are left out by all others. */
  readonly show: '' | 'pending' | 'ready' | 'closed' | 'favourite' | 'archived'
  /** By title the untitled ones are last. */
  readonly sort: 'newest' | 'title'
}

/** The loaded pages of a song list. */
export type Songs = InfiniteData<Page<Song>, string>

/** Whether a song matches a filter; the server applies the same rule. */
export function matchesFilter(
  song: Pick<Song, 'lyrics' | 'style' | 'status'> & Partial<Pick<Song, 'title' | 'favourite' | 'archived'>>,
  { q, show }: SongFilter,
): boolean {
  const phrase = q.toLowerCase()
  const texts = [song.title ?? '', song.lyrics, song.style]
  if (!texts.some((text) => text.toLowerCase().includes(phrase))) return false
  if ((song.archived ?? false) !== (show === 'archived')) return false
  if (show === 'favourite') return song.favourite ?? false
  if (show === 'closed') return song.status === 'cancelled' || song.status === 'declined'
  return show === '' || show === 'archived' || song.status === show
}

/** Whether only the server can say where the song belongs: in a list by title, which it sorts. */
export function hasUnknownPlace({ pages }: Songs, song: Song, filter: SongFilter): boolean {
  if (filter.sort !== 'title' || !matchesFilter(song, filter)) return false
  const known = pages.flatMap(({ items }) => items).find(({ id }) => id === song.id)
  return known === undefined || (known.revision < song.revision && known.title !== song.title)
}

/**
 * Inserts or updates a song in the loaded pages: it replaces an older revision, else it is inserted by its age. It is left
 * out when the filter excludes it or its page is not loaded yet. Unchanged pages keep their identity, so that React does
 * not render them again.
 */
export function upsertSong(data: Songs, song: Song, filter: SongFilter): Songs {
  const currentPage = data.pages.find(({ items }) => items.some(({ id }) => id === song.id))
  const known = currentPage?.items.find(({ id }) => id === song.id)
  const isShown = matchesFilter(song, filter)
  if (known ? known.revision >= song.revision : !isShown) return data
  const page = currentPage ?? pageFor(data, song)
  if (!page) return data
  const items = !isShown
    ? page.items.filter(({ id }) => id !== song.id)
    : known
      ? page.items.map((one) => (one === known ? song : one))
      : [...page.items, song].toSorted(newestFirst)
  return { ...data, pages: data.pages.map((one) => (one === page ? { ...page, items } : one)) }
}

/** The page in which to insert a new song; undefined when that page is not loaded yet. */
function pageFor({ pages }: Songs, song: Song): Page<Song> | undefined {
  const last = pages.at(-1)
  const isWithin = ({ items }: Page<Song>): boolean => items.some((one) => newestFirst(song, one) < 0)
  return pages.find(isWithin) ?? (last?.nextCursor === null ? last : undefined)
}

const newestFirst = (a: Song, b: Song): number => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1)
