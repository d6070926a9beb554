/** An amount of the API or of `parseAmount`, which have two decimals, in integer hundredths. */
export const inCents = (amount: number): number => Math.round(amount * 100)

/**
 * The amount that a person typed, with a decimal point or comma and with or without thousands separators; NaN when it is
 * none. A comma before exactly three digits separates thousands: nobody types a third decimal of money. `mostDecimals`: what
 * has more is no amount.
 */
export function parseAmount(text: string, mostDecimals = 2): number {
  const typed = text
    .trim()
    .replace('−', '-')
    .replaceAll(/[\s\u00a0\u202f’']/g, '')
  const grouped = /^[+-]?\d{1,3}(,\d{3})+(\.\d+)?$/.test(typed)
  const plain = grouped ? typed.replaceAll(',', '') : typed.replace(',', '.')
  const decimals = plain.split('.')[1]?.length ?? 0
  return /^[+-]?(\d+\.?\d*|\.\d+)$/.test(plain) && decimals <= mostDecimals ? Number(plain) : Number.NaN
}
