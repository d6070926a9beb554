import { MAX_PAGE, type StatementEntry } from '@prelude/contracts'
import type { RouteDeps } from './route-deps.ts'
import { entryView } from './views.ts'

const HEAD = 'id,amount,balanceAfter,reason,reference,createdAt\r\n'

/** A person's statement, newest first; page by page, so that a long one is never held whole. */
export async function* statementCsv(
  { credits }: Pick<RouteDeps, 'credits'>,
  uid: string,
): AsyncGenerator<string> {
  let cursor: string | null = null
  let head = HEAD
  do {
    const page: Awaited<ReturnType<typeof credits.entries>> = await credits.entries({
      params: { uid },
      query: { limit: MAX_PAGE, ...(cursor !== null && { cursor }) },
    })
    yield head + page.items.map((entry) => line(entryView(entry))).join('')
    head = ''
    cursor = page.nextCursor
  } while (cursor !== null)
}

/** RFC 4180; ISO times, dot decimals. */
const line = (entry: StatementEntry): string =>
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
