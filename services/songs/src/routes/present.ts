import { fromCents, type Made, type Song } from '@prelude/contracts'
import { AppError, isId, type Query } from '@prelude/platform'
import { newestTake } from '../domain/takes.ts'
import { findSong, type SongRecord } from '../store/song.ts'

/** A record as the unlocked operator sees it. `charged` is true only while the charge is not refunded. */
export function present(song: SongRecord): Song {
  const { length: takes1 } = song.takes.filter(({ version }) => version === 1)
  const pathOf = (n: 1 | 2): string | null => newestTake(song.takes, n)?.path ?? null
  const madeOf = (n: 1 | 2): Made | null => newestTake(song.takes, n)?.made ?? null
  const download = (n: 1 | 2): string | null =>
    song.status === 'ready' ? `/api/songs/${song.id}/versions/${n}` : null
  return {
    id: song.id,
    uid: song.uid,
    username: song.username,
    email: song.email,
    lyrics: song.lyrics,
    style: song.style,
    status: song.status,
    charged: song.charge === 'charged',
    charge: song.charge,
    price: fromCents(song.priceCents),
    revision: song.revision,
    createdAt: song.createdAt,
    updatedAt: song.updatedAt,
    title: song.title,
    favourite: song.favourite,
    preferred: song.preferred,
    archived: song.archived,
    brief: song.brief,
    promisedAt: song.promisedAt,
    readyBy: song.readyBy,
    startedAt: song.startedAt,
    closedAt: song.closedAt,
    closedReason: song.closedReason,
    ...(song.correctedAt !== null && { correctedAt: song.correctedAt }),
    changes: song.changes,
    takes: song.status === 'ready' ? { 1: takes1, 2: song.takes.length - takes1 } : null,
    made: song.status === 'ready' ? { 1: madeOf(1), 2: madeOf(2) } : null,
    acceptedAt: song.acceptedAt,
    certificate:
      song.certificateId === null ? null : { id: song.certificateId, url: `/verify/${song.certificateId}` },
    messages: {
      count: song.messages.owner.count + song.messages.studio.count,
      unread: song.messages.studio.unread,
    },
    unreadByOperator: song.messages.owner.unread,
    timeline: [{ state: 'requested', at: song.createdAt }, ...song.timeline],
    note: song.note,
    downloadUrl1: download(1),
    downloadUrl2: download(2),
    ...(song.charge === 'refunded' && song.refundReason !== null && { refundReason: song.refundReason }),
    storagePath1: pathOf(1),
    storagePath2: pathOf(2),
  }
}

/** The song whose id is in the path. Errors: song_not_found. */
export async function songIn(db: Query, params: Record<string, string>): Promise<SongRecord> {
  const song = await findSong(db, songIdOf(params))
  if (song === null) throw new AppError('song_not_found')
  return song
}

/** The id in the path. Errors: song_not_found, also when it is no UUID. */
export function songIdOf(params: Record<string, string>): string {
  const { id } = params
  if (id === undefined || !isId(id)) throw new AppError('song_not_found')
  return id
}
