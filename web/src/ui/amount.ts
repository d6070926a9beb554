/** An amount of the API or of `parseAmount`, which have two decimals, in integer hundredths. */
export const inCents = (amount: number): number => Math.round(amount * 100)

/**
 * The amount that a person typed, with a decimal point or comma and with or without thousands separators; NaN when it is
 * none. A comma before exactly three digits separates thousands: nobody types a third decimal of money.
 */
export function parseAmount(text: string): number {
  const typed = text
    .trim()
    .replace('−', '-')
    .replaceAll(/[\s\u00a0\u202f’']/g, '')
  const grouped = /^[+-]?\d{1,3}(,\d{3})+(\.\d{1,2})?$/.test(typed)
  const plain = grouped ? typed.replaceAll(',', '') : typed.replace(',', '.')
  return /^[+-]?(\d+(\.\d{0,2})?|\.\d{1,2})$/.test(plain) ? Number(plain) : Number.NaN
}
