import type { ReplyOf, songsApi } from '@prelude/contracts'
import { AppError, type Database, isId, paged, type RouteContext, Written } from '@prelude/platform'
import type { SongTexts } from '../song-texts.ts'
import { listSongs as readSongs, listSongVersions, type SongVersion } from '../store/song.ts'
import { present } from './present.ts'

export const listSongs =
  (db: Database, texts: SongTexts) =>
  async ({
    query: { uid, q, status, paths = true, ...page },
  }: RouteContext<typeof songsApi.list>): Promise<ReplyOf<typeof songsApi.list> | Written> => {
    if (q?.includes('\0')) throw new AppError('invalid_text')
    const pageOf = <S extends SongVersion>(read: Read<S>) =>
      paged(
        page,
        ['number', 'string'],
        (after, limit) => {
          if (after && !isId(after[1])) throw new AppError('invalid_cursor')
          // a search reads all songs of a person: nobody waits behind one
          return read(q === undefined ? db.reads : db, { uid, q, status, after, limit })
        },
        ({ createdAt, id }) => [createdAt, id],
      )
    if (!paths && q === undefined) {
      const { items, nextCursor } = await pageOf(listSongVersions)
      const known = texts.of(items)
      if (known) return written(known, nextCursor)
    }
    const { items, nextCursor } = await pageOf(readSongs)
    if (paths) return { items: items.map(present), nextCursor }
    return written(items.map(texts.write), nextCursor)
  }

type Read<S> = (...given: Parameters<typeof readSongs>) => Promise<S[]>

const written = (songs: readonly string[], nextCursor: string | null): Written =>
  new Written(`{"items":[${songs.join(',')}],"nextCursor":${JSON.stringify(nextCursor)}}`)
