import {
  type AccountEntry,
  fromCents,
  type Payment,
  type PaymentRecord,
  type Share,
  type ShareRecord,
  type Song,
  type StatementEntry,
} from '@prelude/contracts'

/** A line of the statement, its hundredths as decimals. */
export const entryView = ({
  amountCents,
  balanceAfterCents,
  owedCents,
  ...entry
}: AccountEntry): StatementEntry => ({
  id: entry.id,
  amount: fromCents(amountCents),
  balanceAfter: fromCents(balanceAfterCents),
  ...(owedCents !== 0 && { owed: fromCents(owedCents) }),
  reason: entry.reason,
  reference: entry.reference,
  createdAt: entry.createdAt,
})

export const paymentView = (record: PaymentRecord): Payment => ({
  id: record.id,
  method: record.method,
  amount: orNull(record.amountCents),
  currency: record.currency.toUpperCase(),
  credits: orNull(record.creditsCents),
  status: record.status,
  refundedAmount: fromCents(record.refundedCents),
  url: record.url,
  receiptUrl: record.receiptUrl,
  revision: record.revision,
  createdAt: record.createdAt,
})

const orNull = (cents: number | null): number | null => (cents === null ? null : fromCents(cents))

/** Storage paths and the internal note are for the unlocked operator only, and a price is said once it was taken. */
export function songView(
  { storagePath1, storagePath2, note, certificate, price, ...song }: Song,
  viewer: { isUnlocked: boolean },
  { publicUrl }: { publicUrl: string },
): Song {
  const open = {
    ...song,
    price: song.charge === 'charged' || song.charge === 'refunded' ? (price ?? null) : null,
    certificate: certificate && { id: certificate.id, url: `${publicUrl}${certificate.url}` },
  }
  return viewer.isUnlocked
    ? { ...open, storagePath1: storagePath1 ?? null, storagePath2: storagePath2 ?? null, note: note ?? null }
    : open
}

/** The one place where a token becomes an address. */
export const shareView = (
  { token, songId: _songId, ...share }: ShareRecord,
  { publicUrl }: { publicUrl: string },
): Share => ({ ...share, url: `${publicUrl}/s/${token}` })

/** The owner's title, else the style. */
export const titleOf = ({ title, style }: Pick<Song, 'title' | 'style'>): string => title ?? style

/** The first word of a name; null when there is none. */
export const firstNameOf = (name: string | null): string | null => name?.trim().split(/\s+/u)[0] || null
