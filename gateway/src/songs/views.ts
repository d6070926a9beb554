import type { Song } from '@prelude/contracts'

/** Storage paths and the internal note are for the unlocked operator only, and a price is said once it was taken. */
export function songView(
  { storagePath1, storagePath2, note, certificate, price, ...song }: Song,
  viewer: { isUnlocked: boolean },
  { publicUrl }: { publicUrl: string },
): Song {
  const open = {
    ...song,
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

/** The owner's title, else the style. */
export const titleOf = ({ title, style }: Pick<Song, 'title' | 'style'>): string => title ?? style
