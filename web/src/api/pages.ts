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
  /** Closed: cancelled or declined. */
  readonly status: '' | 'pending' | 'ready' | 'closed'
}

/** The loaded pages of a song list, newest first. */
export type Songs = InfiniteData<Page<Song>, string>

/** Whether a song matches a filter; the server applies the same rule. */
export function matchesFilter(
  song: Pick<Song, 'lyrics' | 'style' | 'status'>,
  { q, status }: SongFilter,
): boolean {
  const phrase = q.toLowerCase()
  const hasPhrase = song.lyrics.toLowerCase().includes(phrase) || song.style.toLowerCase().includes(phrase)
  const isClosed = song.status === 'cancelled' || song.status === 'declined'
  return hasPhrase && (status === '' || song.status === status || (status === 'closed' && isClosed))
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
  const others = page.items.filter(({ id }) => id !== song.id)
  const items = isShown ? [...others, song].toSorted(newestFirst) : others
  return { ...data, pages: data.pages.map((one) => (one === page ? { ...page, items } : one)) }
}

/** The page in which to insert a new song; undefined when that page is not loaded yet. */
function pageFor({ pages }: Songs, song: Song): Page<Song> | undefined {
  const last = pages.at(-1)
  const isWithin = ({ items }: Page<Song>): boolean => items.some((one) => newestFirst(song, one) < 0)
  return pages.find(isWithin) ?? (last?.nextCursor === null ? last : undefined)
}

const newestFirst = (a: Song, b: Song): number => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1)
