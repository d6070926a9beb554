import type { Song } from '@prelude/contracts'

/** Where storage streams a version of a ready song, beside the other version. */
export function audioPath(song: Song, n: 1 | 2, options: Readonly<Record<string, string>>): string {
  const [path, beside] =
    n === 1 ? [song.storagePath1, song.storagePath2] : [song.storagePath2, song.storagePath1]
  return `/audio?${new URLSearchParams({ path: path ?? '', beside: beside ?? '', ...options }).toString()}`
}
