/** Money and credits are integers of hundredths ("cents"); decimals exist only at the edges: the public API, mails, providers. */

/** What a new song costs, in hundredths of a credit (10 credits). A song keeps the price that it was requested for. */
export const SONG_PRICE_CENTS = 1000
/** What every song cost before songs had prices of their own; also the default of the columns. It never changes. */
export const FIRST_SONG_PRICE_CENTS = 1000
/** The same in credits, for what people read. */
export const SONG_PRICE_CREDITS = SONG_PRICE_CENTS / 100
/** A card top-up must be more than this, in US cents. One dollar buys one credit. */
export const TOP_UP_ABOVE_CENTS = 2499
export const TOP_UP_MIN_CENTS = TOP_UP_ABOVE_CENTS + 1
export const TOP_UP_MAX_CENTS = 500_000
/** The smallest bank transfer, in kobo, and what a credit costs in kobo. */
export const TRANSFER_MIN_KOBO = 3_700_000
export const KOBO_PER_CREDIT = 148_000
/** The default of the note about transfers, which the page has in each language. */
export const TRANSFER_NOTE = 'Credits are added within an hour.'
/** Naira for one dollar at the alternate provider. */
export const ALTERNATE_RATE = 2000

/** Above this the operator gets a mail about an adjustment, and needs the password again unless another size is configured. */
export const LARGE_AMOUNT_CENTS = 100_000
/** Credits that the operator gives, returns or takes in one call: more is a typing error. */
export const MAX_BY_HAND_CENTS = 1_000_000

/** `25` or `24.99` → hundredths; null when it has more than two decimals or is out of the safe range. */
export function toCents(amount: number): number | null {
  const cents = Math.round(amount * 100)
  if (!Number.isSafeInteger(cents) || Math.abs(cents) > 1e13) return null
  // division rounds correctly: only a number that is written with at most two decimals comes back
  return cents / 100 === amount ? cents : null
}

/** Hundredths → a decimal number with at most two decimals. */
export const fromCents = (cents: number): number => cents / 100

/** Kobo received by bank transfer → hundredths of a credit, rounded down. */
export const creditsForKobo = (kobo: number): number => Math.floor((kobo * 100) / KOBO_PER_CREDIT)
