import type { Song } from '@prelude/contracts'

/**
 * Storage paths and the internal note are for the unlocked operator only, and a price is said once it was taken. Unread messages
 * count for the viewer: the operator is the owner of songs of their own, unless a call is the operator's and names no `uid`.
 * A field that is not for the viewer is undefined, so that JSON has none: taking fields away costs fifteen times as much.
 */
export function songView(
  song: Song,
  { isUnlocked, uid }: { isUnlocked: boolean; uid?: string },
  { publicUrl }: { publicUrl: string },
): Song {
  const { charge, price, messages, unreadByOperator, certificate, storagePath1, storagePath2, note } = song
  const isOperator = isUnlocked && uid !== song.uid
  return {
    ...song,
    messages: { ...NONE, ...messages, ...(isOperator && { unread: unreadByOperator ?? 0 }) },
    unreadByOperator: undefined,
    price: charge === 'charged' || charge === 'refunded' ? (price ?? null) : null,
    // absent while songs is of version 0.1.0
    readyBy: song.readyBy ?? null,
    made: song.made ?? null,
    certificate: certificate && { id: certificate.id, url: `${publicUrl}${certificate.url}` },
    storagePath1: isUnlocked ? (storagePath1 ?? null) : undefined,
    storagePath2: isUnlocked ? (storagePath2 ?? null) : undefined,
    note: isUnlocked ? (note ?? null) : undefined,
  }
}

/** Where the songs service answers none: it is updated before or after this one. */
const NONE = { count: 0, unread: 0 }

/** The owner's title, else the style. */
export const titleOf = ({ title, style }: Pick<Song, 'title' | 'style'>): string => title ?? style
