import type { Song } from '@prelude/contracts'

/**
 * Storage paths and the internal note are for the unlocked operator only, and a price is said once it was taken. Unread messages
 * count for the viewer: the operator is the owner of songs of their own, unless a call is the operator's and names no `uid`.
 */
export function songView(
  { storagePath1, storagePath2, note, certificate, price, messages, unreadByOperator, ...song }: Song,
  viewer: { isUnlocked: boolean; uid?: string },
  { publicUrl }: { publicUrl: string },
): Song {
  const isOperator = viewer.isUnlocked && viewer.uid !== song.uid
  const open = {
    ...song,
    messages: { ...NONE, ...messages, ...(isOperator && { unread: unreadByOperator ?? 0 }) },
    price: song.charge === 'charged' || song.charge === 'refunded' ? (price ?? null) : null,
    // absent while songs is of version 0.1.0
    readyBy: song.readyBy ?? null,
    made: song.made ?? null,
    certificate: certificate && { id: certificate.id, url: `${publicUrl}${certificate.url}` },
  }
  return viewer.isUnlocked
    ? { ...open, storagePath1: storagePath1 ?? null, storagePath2: storagePath2 ?? null, note: note ?? null }
    : open
}

/** Where the songs service answers none: it is updated before or after this one. */
const NONE = { count: 0, unread: 0 }

/** The owner's title, else the style. */
export const titleOf = ({ title, style }: Pick<Song, 'title' | 'style'>): string => title ?? style
