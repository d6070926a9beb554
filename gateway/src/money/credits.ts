import { Readable } from 'node:stream'
import { Credits, Debt, fromCents, OneOf, Page, StatementEntry } from '@prelude/contracts'
import { Type } from 'typebox'
import { personOf } from '../api/caller.ts'
import type { CreditsClient } from '../api/clients.ts'
import { pageOf, pageQuery } from '../api/paging.ts'
import { publicRoute, type PublicRoute } from '../api/public-route.ts'
import { SENT } from '../api/sent.ts'
import { statementCsv } from './statement-csv.ts'
import { entryView } from './views.ts'

type Deps = { credits: CreditsClient }

export const balance = ({ credits }: Deps): PublicRoute =>
  publicRoute('GET /api/credits', {
    access: 'person',
    summary: 'The balance; version grows with every change',
    reply: Credits,
    handle: async ({ request }): Promise<Credits> => {
      const account = await credits.account({ params: { uid: personOf(request).uid } })
      return { balance: fromCents(account.balanceCents), version: account.version }
    },
  })

export const debt = ({ credits }: Deps): PublicRoute =>
  publicRoute('GET /api/credits/debt', {
    access: 'person',
    summary:
      'What the caller owes after a payment was reversed whose credits were spent; the next credits settle it',
    reply: Debt,
    handle: async ({ request }): Promise<Debt> => {
      const account = await credits.account({ params: { uid: personOf(request).uid } })
      return { debt: fromCents(account.debtCents) }
    },
  })

export const statement = (deps: Deps): PublicRoute =>
  publicRoute('GET /api/credits/entries', {
    access: 'person',
    summary: 'The statement, newest first; format=csv answers the whole of it',
    limit: ({ format }) => (format === 'csv' ? 'drawn' : 'none'),
    refusals: ['invalid_request', 'invalid_cursor'],
    query: Type.Object({ format: Type.Optional(OneOf('json', 'csv')), ...pageQuery }),
    reply: Page(StatementEntry),
    document: {
      answers: {
        200: {
          description: 'A page, or the whole as CSV: the same columns, ISO times.',
          content: { 'text/csv': Type.String() },
        },
      },
    },
    handle: async ({ request, reply, query }) => {
      const { uid } = personOf(request)
      if (query.format === 'csv') {
        const lines = statementCsv(deps, uid)
        // the first page is read before the answer begins, so that a failure is a refusal and not half a file
        const head = await lines.next()
        void reply
          .type('text/csv; charset=utf-8')
          .header('content-disposition', 'attachment; filename="statement.csv"')
          .header('cache-control', 'private, no-store')
          .send(Readable.from(resume(String(head.value), lines)))
        return SENT
      }
      const { items, nextCursor } = await deps.credits.entries({ params: { uid }, query: pageOf(query) })
      return { items: items.map(entryView), nextCursor }
    },
  })

async function* resume(head: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield head
  yield* rest
}
