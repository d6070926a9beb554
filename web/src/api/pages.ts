import type { InfiniteData } from '@tanstack/react-query'
import type { Song } from '@prelude/contracts'

/** A list of the API, as much of it as is read at once. */
export interface Page<T> {
  readonly items: readonly T[]
  /** Null at the end. */
  readonly nextCursor: string | null
}

export interface SongFilter {
  readonly q: string
  readonly status: '' | 'pending' | 'ready'
}

/** Songs as far as they are read, newest first. */
export type Songs = InfiniteData<Page<Song>, string>

/** Whether a filtered list shows this song; the server has the same rule. */
export function matches(song: Pick<Song, 'lyrics' | 'style' | 'status'>, { q, status }: SongFilter): boolean {
  const needle = q.toLowerCase()
  const found = song.lyrics.toLowerCase().includes(needle) || song.style.toLowerCase().includes(needle)
  return found && (status === '' || song.status === status)
}

/**
 * The list with a song that was heard of: in the place of an older state of it, else where it belongs by its age, and
 * nowhere where the list does not show it or has not been read that far. A page that does not change stays the same
 * object, so that it is not drawn again.
 */
export function withSong(data: Songs, song: Song, filter: SongFilter): Songs {
  const holder = data.pages.find(({ items }) => items.some(({ id }) => id === song.id))
  const known = holder?.items.find(({ id }) => id === song.id)
  const isShown = matches(song, filter)
  if (known ? known.revision >= song.revision : !isShown) return data
  const page = holder ?? placeOf(data, song)
  if (!page) return data
  const others = page.items.filter(({ id }) => id !== song.id)
  const items = isShown ? [...others, song].toSorted(newestFirst) : others
  return { ...data, pages: data.pages.map((one) => (one === page ? { ...page, items } : one)) }
}

/** The page on which a song that is not there yet belongs; undefined for one that is still to be read. */
function placeOf({ pages }: Songs, song: Song): Page<Song> | undefined {
  const last = pages.at(-1)
  const isWithin = ({ items }: Page<Song>): boolean => items.some((one) => newestFirst(song, one) < 0)
  return pages.find(isWithin) ?? (last?.nextCursor === null ? last : undefined)
}

const newestFirst = (a: Song, b: Song): number => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1)
