import type { StatementEntry } from '@prelude/contracts'
import type { CreditsClient } from '../api/clients.ts'
import { everyPage } from '../api/every-page.ts'
import { entryView } from './views.ts'

type Deps = { credits: CreditsClient }

const HEAD = 'id,amount,balanceAfter,reason,reference,createdAt\r\n'

/** A person's statement, newest first. Its first part comes with the first entry: an error before it is one of the whole. */
export async function* statementCsv({ credits }: Deps, uid: string): AsyncGenerator<string> {
  let head = HEAD
  for await (const entry of everyPage((page) => credits.entries({ params: { uid }, query: page }))) {
    yield head + line(entryView(entry))
    head = ''
  }
  if (head !== '') yield head
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
