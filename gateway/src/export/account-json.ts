import { fromCents } from '@prelude/contracts'
import type { RouteDeps } from '../route-deps.ts'
import { listSessions } from '../store/session.ts'
import { mailsRefused, type User } from '../store/users.ts'
import { entryView, paymentView, shareView, songView } from '../views.ts'
import { everyPage } from './every-page.ts'

/** All that is kept of a person, as one JSON document, page by page so that it is never held whole. */
export async function* accountJson(deps: RouteDeps, user: User, at: Date): AsyncGenerator<string> {
  const { credits, songs, shares, payments, notifier, notices, preferences, push } = deps
  const { uid, name, email, photoUrl, createdAt } = user
  const [account, sessions, chosen, subscriptions] = await Promise.all([
    credits.account({ params: { uid } }),
    listSessions(deps.db, uid),
    preferences.get({ params: { uid } }),
    push.list({ params: { uid } }),
  ])
  const head = {
    exportedAt: at.toISOString(),
    profile: { uid, name, email, photoURL: photoUrl, role: 'user', createdAt, ...mailsRefused(user) },
    credits: { balance: fromCents(account.balanceCents), debt: fromCents(account.debtCents) },
    sessions: sessions.map((session) => ({ createdAt: session.createdAt, browser: session.browser })),
    preferences: chosen,
    pushSubscriptions: subscriptions.items,
  }
  yield JSON.stringify(head, null, 2).slice(0, -2)
  const own = { isUnlocked: false }
  yield* list(
    'songs',
    everyPage((page) => songs.list({ query: { uid, ...page } })),
    (song) => songView(song, own, deps.config),
  )
  yield* list(
    'shares',
    everyPage((page) => shares.list({ query: { uid, ...page } })),
    (share) => ({ songId: share.songId, ...shareView(share, deps.config) }),
  )
  yield* list(
    'statement',
    everyPage((page) => credits.entries({ params: { uid }, query: page })),
    entryView,
  )
  yield* list(
    'payments',
    everyPage((page) => payments.list({ query: { uid, ...page } })),
    paymentView,
  )
  yield* list(
    'mails',
    everyPage((page) => notifier.list({ query: { uid, ...page } })),
    ({ id, kind, state, createdAt, sentAt }) => ({ id, kind, state, createdAt, sentAt }),
  )
  yield* list(
    'notices',
    everyPage((page) => notices.list({ params: { uid }, query: page })),
    (notice) => notice,
  )
  yield '\n}\n'
}

async function* list<T>(
  name: string,
  items: AsyncIterable<T>,
  view: (item: T) => object,
): AsyncGenerator<string> {
  yield `,\n  ${JSON.stringify(name)}: [`
  let isFirst = true
  for await (const item of items) {
    yield `${isFirst ? '' : ','}\n    ${JSON.stringify(view(item))}`
    isFirst = false
  }
  yield isFirst ? ']' : '\n  ]'
}
