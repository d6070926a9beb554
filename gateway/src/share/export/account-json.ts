import { fromCents, type Song } from '@prelude/contracts'
import type { Database } from '@prelude/platform'
import { listSessions } from '../../accounts/store/session.ts'
import { mailsRefused, type User } from '../../accounts/store/users.ts'
import type {
  CertificatesClient,
  CreditsClient,
  MessagesClient,
  NoticesClient,
  NotifierClient,
  PaymentsClient,
  PreferencesClient,
  PushClient,
  SharesClient,
  SongsClient,
} from '../../api/clients.ts'
import { everyPage } from '../../api/every-page.ts'
import type { GatewayConfig } from '../../config.ts'
import { entryView, paymentView } from '../../money/views.ts'
import { songView } from '../../songs/views.ts'
import { shareView } from '../shares.ts'
import { type Missing, noteMissing, whatIsThere } from './what-is-there.ts'

export type AccountDeps = {
  certificates: CertificatesClient
  config: GatewayConfig
  credits: CreditsClient
  messages: MessagesClient
  db: Database
  notices: NoticesClient
  notifier: NotifierClient
  payments: PaymentsClient
  preferences: PreferencesClient
  push: PushClient
  shares: SharesClient
  songs: SongsClient
}

/** What is read of a person at once. */
export async function readHead(deps: AccountDeps, user: User, at: Date): Promise<object> {
  const { credits, preferences, push } = deps
  const { uid, name, givenName, email, photoUrl, createdAt } = user
  const [account, sessions, chosen, subscriptions] = await Promise.all([
    credits.account({ params: { uid } }),
    listSessions(deps.db, uid),
    preferences.get({ params: { uid } }),
    push.list({ params: { uid } }),
  ])
  return {
    exportedAt: at.toISOString(),
    profile: {
      uid,
      name,
      givenName,
      email,
      photoURL: photoUrl,
      role: 'user',
      createdAt,
      ...mailsRefused(user),
    },
    credits: { balance: fromCents(account.balanceCents), debt: fromCents(account.debtCents) },
    sessions: sessions.map((session) => ({ createdAt: session.createdAt, browser: session.browser })),
    preferences: chosen,
    pushSubscriptions: subscriptions.items,
  }
}

/** All that is kept of a person, as one JSON document, page by page so that it is never held whole. */
export async function* accountJson(
  deps: AccountDeps,
  { uid, head, missing }: { uid: string; head: object; missing: Missing },
): AsyncGenerator<string> {
  const { credits, songs, shares, payments, notifier, notices } = deps
  const own = { isUnlocked: false }
  const lists = {
    songs: mapped(
      everyPage((page) => songs.list({ query: { uid, ...page } })),
      async (song) => ({
        ...songView(song, own, deps.config),
        ...(await pastOf(deps, song).catch((error: unknown) =>
          noteMissing(
            missing,
            `account.json: earlier changes, certificates and messages of ${song.id}`,
            error,
          ),
        )),
      }),
    ),
    shares: mapped(
      everyPage((page) => shares.list({ query: { uid, ...page } })),
      (share) => ({ songId: share.songId, ...shareView(share, deps.config) }),
    ),
    statement: mapped(
      everyPage((page) => credits.entries({ params: { uid }, query: page })),
      entryView,
    ),
    payments: mapped(
      everyPage((page) => payments.list({ query: { uid, ...page } })),
      paymentView,
    ),
    mails: mapped(
      everyPage((page) => notifier.list({ query: { uid, ...page } })),
      ({ id, kind, state, createdAt, sentAt }) => ({ id, kind, state, createdAt, sentAt }),
    ),
    notices: everyPage((page) => notices.list({ params: { uid }, query: page })),
  }
  yield JSON.stringify(head, null, 2).slice(0, -2)
  for (const [name, items] of Object.entries(lists)) yield* list(missing, name, items)
  yield `,\n  "missing": ${JSON.stringify(missing.names)}\n}\n`
}

/** What a song's own fields do not say. */
async function pastOf({ songs, certificates, messages }: AccountDeps, { id }: Song): Promise<object> {
  const params = { id }
  const [earlierChanges, issued, thread] = await Promise.all([
    songs.earlierChanges({ params }),
    certificates.ofSong({ params }),
    Array.fromAsync(everyPage((page) => messages.list({ params, query: page }))),
  ])
  return { earlierChanges: earlierChanges.items, certificates: issued.items, thread }
}

async function* mapped<T>(
  items: AsyncIterable<T>,
  view: (item: T) => object | Promise<object>,
): AsyncGenerator<object> {
  for await (const item of items) yield view(item)
}

async function* list(missing: Missing, name: string, items: AsyncIterable<object>): AsyncGenerator<string> {
  yield `,\n  ${JSON.stringify(name)}: [`
  let isFirst = true
  for await (const item of whatIsThere(missing, `account.json: ${name}`, items)) {
    yield `${isFirst ? '' : ','}\n    ${JSON.stringify(item)}`
    isFirst = false
  }
  yield isFirst ? ']' : '\n  ]'
}
