import type {
  Again,
  AuditRow,
  Certificate,
  CheckoutSession,
  Closing,
  Credits,
  Debt,
  Draft,
  LegalText,
  MadeOfSome,
  Me,
  NewBrief,
  NewNote,
  NewPushSubscription,
  Notice,
  NoticesRead,
  Payment,
  PaymentRow,
  PaymentStatus,
  PersonAccount,
  Preferences,
  PreferencesChange,
  SessionView,
  Share,
  SharedSong,
  Song,
  SongMarks,
  SongMessage,
  StageCounts,
  StatementEntry,
  Waveform,
} from '@prelude/contracts'

/** One page of a list of the API. */
export interface Page<T> {
  readonly items: readonly T[]
  /** Null on the last page. */
  readonly nextCursor: string | null
}

/** Credits by bank transfer, with what the person needs for it. */
export interface NairaTransfer {
  readonly id: 'naira_transfer'
  readonly amount: number
  readonly credits: number
  readonly bankName: string
  readonly accountName: string
  readonly accountNumber: string
  readonly reference: string | null
  readonly note: string
  readonly supportEmail: string
}
export type Method = { readonly id: 'card' } | NairaTransfer

/** A bank transfer that waits for the operator. */
export interface Transfer {
  readonly id: string
  readonly uid: string
  readonly email: string
  readonly status: PaymentStatus
  readonly createdAt: number
}

interface Reply<T> {
  readonly reply: T
}
interface Command<Body, T = undefined> extends Reply<T> {
  readonly body: Body
}
type Confirmed = { readonly password?: string }

/** What the web app calls: each route of the API with what it takes and answers. */
export interface Routes {
  'GET /api/me': Reply<Me | undefined>
  'GET /api/sessions': Reply<{ readonly items: readonly SessionView[] }>
  'DELETE /api/sessions/:id': Reply<undefined>
  'POST /api/auth/logout': Reply<undefined>
  'POST /api/auth/logout-everywhere': Reply<undefined>
  'GET /api/account/closing': Reply<Closing>
  'POST /api/account/close': Command<{ email: string; credits: number }, { closed: true }>
  'GET /api/preferences': Reply<Preferences>
  'PUT /api/preferences': Command<PreferencesChange, Preferences>
  'GET /api/notices': Reply<Page<Notice>>
  'POST /api/notices/read': Command<NoticesRead>
  'GET /api/push-key': Reply<{ readonly publicKey: string }>
  'POST /api/push-subscriptions': Command<NewPushSubscription, { readonly id: string }>
  'DELETE /api/push-subscriptions/:id': Reply<undefined>
  'GET /api/legal/:page': Reply<LegalText>

  'GET /api/promise': Reply<{ readonly readyBy: number }>
  'GET /api/songs': Reply<Page<Song>>
  'POST /api/songs': Command<
    { lyrics: string; style: string; brief: NewBrief | undefined; readyBy: number | undefined },
    Song
  >
  'GET /api/songs/:id': Reply<Song>
  'PATCH /api/songs/:id': Command<
    { lyrics?: string; style?: string; title?: string | null } & SongMarks,
    Song
  >
  'POST /api/songs/:id/cancel': Reply<Song>
  'POST /api/songs/:id/accept': Reply<Song>
  'POST /api/songs/:id/changes': Command<{ notes: readonly NewNote[] }, Song>
  'GET /api/songs/:id/messages': Reply<Page<SongMessage>>
  'POST /api/songs/:id/messages': Command<{ text: string }, SongMessage>
  'POST /api/songs/:id/messages/read': Command<{ before: number }>
  /** Undefined while it is not known, with `lenient`. */
  'GET /api/songs/:id/versions/:n/waveform': Reply<Waveform | undefined>
  'GET /api/songs/:id/shares': Reply<Page<Share>>
  'POST /api/songs/:id/shares': Command<NewShare, Share>
  'DELETE /api/shares/:id': Reply<undefined>
  'GET /api/shares/:id': Reply<SharedSong>
  'GET /api/shares/:id/versions/:n/waveform': Reply<Waveform | undefined>
  'GET /api/certificates/:id': Reply<Certificate>

  'GET /api/credits': Reply<Credits>
  'GET /api/credits/debt': Reply<Debt>
  'GET /api/credits/entries': Reply<Page<StatementEntry>>
  'GET /api/payments': Reply<Page<Payment>>
  'POST /api/payments': Command<
    { amount: number; myamount: number; userId: string | undefined },
    { readonly url: string }
  >
  'POST /api/payments/naira-transfers': Command<object, Payment>
  'GET /api/payment-methods': Reply<readonly Method[]>
  'GET /api/get-session': Reply<CheckoutSession>

  'POST /api/operator/unlock': Command<{ password: string }>
  'POST /api/operator/lock': Reply<undefined>
  'GET /api/operator/songs': Reply<Page<Song> & { readonly counts?: StageCounts }>
  'GET /api/operator/transfers': Reply<Page<Transfer>>
  'GET /api/operator/debts': Reply<Page<PersonAccount>>
  'GET /api/operator/people': Reply<Page<PersonAccount>>
  'GET /api/operator/payments': Reply<Page<PaymentRow>>
  'GET /api/operator/audit': Reply<Page<AuditRow>>
  'POST /api/operator/songs/:id/fulfil': Command<Uploads, Song>
  'POST /api/operator/songs/:id/changes': Command<Uploads, Song>
  'PUT /api/operator/songs/:id/made': Command<{ made: MadeOfSome }, Song>
  'PUT /api/operator/songs/:id/note': Command<{ text: string }, Song>
  'GET /api/operator/songs/:id/drafts': Reply<Page<Draft> & { readonly generatorSince: number | null }>
  'POST /api/operator/songs/:id/drafts': Command<
    { count?: number; again?: Again },
    { readonly items: readonly Draft[] }
  >
  'DELETE /api/operator/drafts/:id': Reply<undefined>
  'GET /api/operator/drafts/:id/audio': Reply<Blob>
  'POST /api/operator/songs/:id/messages': Command<{ text: string }, SongMessage>
  'POST /api/operator/songs/:id/messages/read': Command<{ before: number }>
  'POST /api/operator/songs/:id/start': Command<Confirmed, Song>
  'POST /api/operator/songs/:id/release': Command<Confirmed, Song>
  'POST /api/operator/songs/:id/decline': Command<{ reason: string } & Confirmed, Song>
  'POST /api/operator/songs/:id/refund': Command<{ reason: string; delivered?: true } & Confirmed, Song>
  'POST /api/operator/credits': Command<
    { uid: string; credits: number; reason: string } & Confirmed,
    { readonly balance: number }
  >
  'POST /api/operator/payments/:id/refund': Command<{ amount: number } & Confirmed, Payment>
  'POST /api/operator/transfers': Command<{ email: string; amount: number } & Confirmed, Payment>
  'POST /api/operator/transfers/:id/confirm': Command<{ amount: number } & Confirmed, Payment>
  'POST /api/operator/transfers/:id/reject': Command<{ reason: string } & Confirmed, Payment>
  'DELETE /api/operator/people/:uid/sessions': Reply<undefined>
  'POST /api/operator/ops/mails/:id/resend': Command<Confirmed, unknown>
  'POST /api/operator/ops/dead-letters/:service/replay': Command<Confirmed, unknown>
  'POST /api/operator/ops/dead-letters/:service/:id/replay': Command<Confirmed, unknown>
  'POST /api/operator/ops/dead-letters/:service/:id/discard': Command<{ reason: string } & Confirmed, unknown>
}
export type Route = keyof Routes

type NewShare = Readonly<Pick<Share, 'lyrics' | 'download' | 'expiresAt'>> & {
  readonly versions: readonly (1 | 2)[]
}

/** Ids of finished uploads; that of a version which stays is left out. */
interface Uploads {
  readonly version1: string | undefined
  readonly version2: string | undefined
  readonly made: MadeOfSome | undefined
}

type ParamsOf<R extends string> = R extends `${string}/:${infer Name}/${infer Rest}`
  ? Name | ParamsOf<`/${Rest}`>
  : R extends `${string}/:${infer Name}`
    ? Name
    : never

/** What a call of this route needs: the `:params` of its path, and its body. */
export type Needs<R extends Route> = ([ParamsOf<R>] extends [never]
  ? unknown
  : { readonly params: Readonly<Record<ParamsOf<R>, string | number>> }) &
  (Routes[R] extends { body: infer Body } ? { readonly body: Body } : unknown)
