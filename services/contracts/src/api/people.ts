import { type Static, Type } from 'typebox'
import { defineApi, Empty, Nullable, Time } from './operation.ts'

/** There when the mail server of the address refuses mails; until one is accepted, or the person signs in with another address. */
export const MailsRefused = Type.Optional(Type.Literal(true))

/** Who is signed in (`GET /api/me`). `credits` is null while the ledger does not answer. */
export const Me = Type.Object({
  uid: Type.String(),
  name: Nullable(Type.String()),
  firstName: Nullable(Type.String()),
  email: Type.String(),
  photoURL: Nullable(Type.String()),
  role: Type.Literal('user'),
  credits: Nullable(Type.Number()),
  operator: Type.Object({ eligible: Type.Boolean(), unlocked: Type.Boolean() }),
  mailsRefused: MailsRefused,
})
export type Me = Static<typeof Me>

/** A session of the caller (`GET /api/sessions`). */
export const SessionView = Type.Object({
  id: Type.String(),
  /** The sign-in. */
  createdAt: Time,
  lastSeenAt: Time,
  browser: Type.String(),
  /** The session of this very call. */
  current: Type.Boolean(),
})
export type SessionView = Static<typeof SessionView>

export const Person = Type.Object({
  uid: Type.String(),
  name: Nullable(Type.String()),
  firstName: Nullable(Type.String()),
  email: Type.String(),
})
export type Person = Static<typeof Person>

/** A person as the operator's lists show them; without a user record, which the ledger's account may outlive, no name and no address. */
export const PersonAccount = Type.Object({
  uid: Type.String(),
  name: Nullable(Type.String()),
  email: Type.String(),
  balance: Type.Number(),
  debt: Type.Number(),
  mailsRefused: MailsRefused,
})
export type PersonAccount = Static<typeof PersonAccount>

/** A call of the operator. */
export const AuditRow = Type.Object({
  id: Type.String(),
  at: Time,
  action: Type.String(),
  /** `ok`, a problem's code, or `attempted` while no outcome is known. */
  outcome: Type.String(),
  target: Nullable(Type.String()),
  detail: Nullable(Type.String()),
  /** Whom and what it is about, where that is known. */
  person: Type.Optional(Type.Object({ name: Nullable(Type.String()), email: Type.String() })),
  song: Type.Optional(Type.Object({ id: Type.String(), style: Type.String() })),
})
export type AuditRow = Static<typeof AuditRow>

/** What closing the caller's account would end, and what stands in its way. */
export const Closing = Type.Object({
  email: Type.String(),
  /** Forfeited. */
  credits: Type.Number(),
  /** Closing waits until it is settled. */
  debt: Type.Number(),
  /** Deleted; those that are cooking are cancelled, and their credits are not given back. */
  songs: Type.Object({ ready: Type.Integer(), cooking: Type.Integer(), waiting: Type.Integer() }),
  /** Closing waits until they are settled. */
  paymentsUnderWay: Type.Integer(),
  /** Closing and the archive need a new sign-in. */
  signInAgain: Type.Boolean(),
})
export type Closing = Static<typeof Closing>

/** Answered by the gateway, which owns the user records; for services that write to people. Errors: user_not_found. */
export const peopleApi = defineApi({
  get: { method: 'GET', path: '/people/:uid', reply: Person, callers: ['notifier'] },
  /** A person whose account was closed, until the mail about it is sent. Errors: user_not_found. */
  closingMail: { method: 'GET', path: '/people/:uid/closing-mail', reply: Person, callers: ['notifier'] },
  /** The mail was sent. */
  deleteClosingMail: {
    method: 'POST',
    path: '/people/:uid/closing-mail/delete',
    reply: Empty,
    callers: ['notifier'],
  },
  /** Whether a mail to the person was accepted, or its address refused for good. No effect on another address than the person's. */
  mailOutcome: {
    method: 'POST',
    path: '/people/:uid/mail-outcome',
    body: Type.Object({ email: Type.String(), accepted: Type.Boolean() }),
    reply: Empty,
    callers: ['notifier'],
  },
  /** For commands of the operator. Errors: user_not_found, ambiguous_account. */
  find: {
    method: 'GET',
    path: '/people',
    query: Type.Object({ email: Type.String() }),
    reply: Person,
  },
  /** The same; written into the audit. The caller has checked what is still open. Errors: user_not_found, operator_stays. */
  close: {
    method: 'POST',
    path: '/people/:uid/close',
    body: Type.Object({ reason: Type.String() }),
    reply: Type.Object({}),
  },
  /** Deletes the failed unlocks of the operator, so that the password is checked again; written into the audit. */
  clearUnlockLimit: { method: 'POST', path: '/operator/clear-unlock-limit', reply: Empty },
})
