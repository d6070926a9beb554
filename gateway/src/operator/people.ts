import { type Account, AuditRow, fromCents, OneOf, Page, PaymentRow, PersonAccount } from '@prelude/contracts'
import type { Database } from '@prelude/platform'
import { Type } from 'typebox'
import { listAudit } from '../accounts/store/audit.ts'
import { findUsers, listUsers, mailsRefused, type User } from '../accounts/store/users.ts'
import type { CreditsClient, PaymentsClient, SongsClient } from '../api/clients.ts'
import { pageOf, pageQuery } from '../api/paging.ts'
import { publicRoute, type PublicRoute } from '../api/public-route.ts'
import { paymentView } from '../money/views.ts'
import { ACTIONS, auditView } from './audit-view.ts'

type Deps = { credits: CreditsClient; db: Database; payments: PaymentsClient; songs: SongsClient }

/** A person without a user record here (the ledger still has the account) is listed without name and address. */
const personAccount = (
  user: User | undefined,
  { uid, balanceCents, debtCents }: Pick<Account, 'uid' | 'balanceCents' | 'debtCents'>,
) => ({
  uid,
  name: user?.name ?? null,
  email: user?.email ?? '',
  balance: fromCents(balanceCents),
  debt: fromCents(debtCents),
  ...mailsRefused(user),
})

export const listPeople = ({ db, credits }: Deps): PublicRoute =>
  publicRoute('GET /api/operator/people', {
    access: 'unlocked',
    action: 'list-people',
    summary:
      'People with their balances, newest first; q: words of name and address in any order, their letters and digits alone, or a uid',
    refusals: ['invalid_cursor'],
    query: Type.Object({ q: Type.Optional(Type.String()), ...pageQuery }),
    reply: Page(PersonAccount),
    handle: async ({ query }) => {
      const { limit, cursor } = pageOf(query)
      const { items, nextCursor } = await listUsers(db, { q: query.q?.trim() || undefined, limit, cursor })
      const accounts = await credits.accounts({ body: { uids: items.map(({ uid }) => uid) } })
      const byUid = new Map(accounts.items.map((account) => [account.uid, account]))
      const none = { balanceCents: 0, debtCents: 0 }
      const view = (user: User) => personAccount(user, { uid: user.uid, ...(byUid.get(user.uid) ?? none) })
      return { items: items.map(view), nextCursor }
    },
  })

export const listDebts = ({ db, credits }: Deps): PublicRoute =>
  publicRoute('GET /api/operator/debts', {
    access: 'unlocked',
    action: 'list-debts',
    summary: 'People who owe credits, most first',
    refusals: ['invalid_cursor'],
    query: Type.Object(pageQuery),
    reply: Page(PersonAccount),
    handle: async ({ query }) => {
      const { items, nextCursor } = await credits.debts({ query: pageOf(query) })
      const users = await findUsers(
        db,
        items.map(({ uid }) => uid),
      )
      const view = (account: (typeof items)[number]) => personAccount(users.get(account.uid), account)
      return { items: items.map(view), nextCursor }
    },
  })

export const listAllPayments = ({ db, payments }: Deps): PublicRoute =>
  publicRoute('GET /api/operator/payments', {
    access: 'unlocked',
    action: 'list-payments',
    summary: 'Payments of all people, newest first',
    refusals: ['invalid_cursor'],
    query: Type.Object(pageQuery),
    reply: Page(PaymentRow),
    handle: async ({ query }) => {
      const { items, nextCursor } = await payments.list({ query: pageOf(query) })
      const users = await findUsers(db, [...new Set(items.map(({ uid }) => uid))])
      const view = (record: (typeof items)[number]) => ({
        ...paymentView(record),
        uid: record.uid,
        name: users.get(record.uid)?.name ?? null,
        email: users.get(record.uid)?.email ?? null,
      })
      return { items: items.map(view), nextCursor }
    },
  })

export const audit = (deps: Deps): PublicRoute =>
  publicRoute('GET /api/operator/audit', {
    access: 'unlocked',
    action: 'list-audit',
    summary:
      'Every call of the operator, newest first, also refused ones; `kind` asks for changes, those of money or songs, or refused ones alone',
    refusals: ['invalid_cursor'],
    query: Type.Object({
      kind: Type.Optional(OneOf('changes', 'money', 'songs', 'refused')),
      ...pageQuery,
    }),
    reply: Page(AuditRow),
    handle: async ({ request, id, query }) => {
      const { limit, cursor } = pageOf(query)
      const { kind } = query
      const { items, nextCursor } = await listAudit(deps.db, {
        limit,
        cursor,
        asking: request.audit?.id ?? id,
        actions: kind === undefined || kind === 'refused' ? null : ACTIONS[kind],
        isRefused: kind === 'refused',
      })
      return { items: await auditView(deps, items), nextCursor }
    },
  })
