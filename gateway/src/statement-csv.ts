import type { StatementEntry } from '@prelude/contracts'

export const CSV_HEAD = 'id,amount,balanceAfter,reason,reference,createdAt\r\n'

/** RFC 4180; ISO times, dot decimals. */
export const csvLine = (entry: StatementEntry): string =>
  [
    textCell(entry.id),
    String(entry.amount),
    String(entry.balanceAfter),
    textCell(entry.reason),
    textCell(entry.reference ?? ''),
    new Date(entry.createdAt).toISOString(),
  ].join(',') + '\r\n'

/** A text that a spreadsheet would run as a formula is defused. */
function textCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
