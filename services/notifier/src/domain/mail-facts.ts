import type { Reader } from './reader.ts'

/** The subject of a mail: ids and facts alone. Texts and addresses are read from their services when it is sent. */
export type MailFacts = { readonly uid: string } & (
  | {
      readonly kind: 'song-requested'
      readonly songId: string
      /** For credits, when the mail was queued: only so many of one person are announced one by one. */
      readonly waiting: boolean
    }
  | {
      readonly kind: 'requests-waiting'
      /** Those that waited for credits. */
      readonly songIds: readonly string[]
      /** Missing in messages of 0.1.0. */
      readonly chargedIds?: readonly string[]
    }
  | {
      readonly kind: 'song-ready' | 'song-cooking' | 'song-late' | 'song-declined' | 'credits-back'
      readonly songId: string
    }
  | {
      readonly kind: 'changes-asked' | 'changes-delivered' | 'song-replaced'
      readonly songId: string
      /** A song may have several rounds of changes and replaced files; each is a cause of its own. */
      readonly eventId: string
    }
  | {
      readonly kind: 'message-to-owner' | 'message-to-operator'
      readonly songId: string
      /** When the newest message was written that it is queued for. */
      readonly at: number
    }
  | {
      readonly kind: 'messages-to-operator'
      /** The same of each song. */
      readonly songs: Readonly<Record<string, number>>
    }
  | {
      readonly kind: 'receipt' | 'transfer-opened' | 'transfer-rejected'
      readonly paymentId: string
    }
  | {
      readonly kind: 'payment-suspicious'
      readonly paymentId: string
      readonly reason: string
    }
  /** The preferences of its person are deleted before it is sent. Missing where nothing was known. */
  | { readonly kind: 'account-closed'; readonly reader?: Reader }
  | { readonly kind: 'operator-unlocked'; readonly sessionId: string }
  | { readonly kind: 'unlock-limit'; readonly since: number }
  | {
      readonly kind: 'large-adjustment'
      readonly adjustmentId: string
      readonly amountCents: number
    }
  | {
      readonly kind: 'large-transfer'
      readonly paymentId: string
      readonly creditsCents: number
    }
  | {
      readonly kind: 'payment-reversed'
      readonly paymentId: string
      readonly reversalId: string
      readonly creditsCents: number
      /** Of these, what was spent already. */
      readonly owedCents: number
      /** Owed in all. */
      readonly debtCents: number
    }
  | {
      readonly kind: 'debt'
      readonly paymentId: string
      readonly debtCents: number
      /** Of the account: every growth of a debt is a cause of its own. */
      readonly version: number
    }
)

const TO_OPERATOR: ReadonlySet<MailFacts['kind']> = new Set([
  'song-requested',
  'requests-waiting',
  'changes-asked',
  'message-to-operator',
  'messages-to-operator',
  'transfer-opened',
  'payment-suspicious',
  'operator-unlocked',
  'unlock-limit',
  'large-adjustment',
  'large-transfer',
  'debt',
])

/** All other kinds go to the customer. */
export const isToOperator = (facts: MailFacts): boolean => TO_OPERATOR.has(facts.kind)

const OPTIONAL: ReadonlySet<MailFacts['kind']> = new Set([
  'song-ready',
  'song-cooking',
  'song-late',
  'changes-delivered',
  'song-replaced',
])

/** Its person can switch such mails off; those about money or the account are always sent. */
export const isOptional = ({ kind }: MailFacts): boolean => OPTIONAL.has(kind)

/** The key of a mail: two events with one cause make one mail (a confirmed transfer is also a payment that succeeded). */
export function causeOf(facts: MailFacts): string {
  if ('eventId' in facts) return `${facts.kind}:${facts.songId}:${facts.eventId}`
  if (facts.kind === 'message-to-owner' || facts.kind === 'message-to-operator')
    return `${facts.kind}:${facts.songId}:${facts.at}`
  if (facts.kind === 'messages-to-operator')
    return `${facts.kind}:${Object.entries(facts.songs)[0]?.join(':')}`
  if ('songId' in facts) return `${facts.kind}:${facts.songId}`
  // a request is in one digest as waiting, and in one as charged
  if (facts.kind === 'requests-waiting')
    return `${facts.kind}:${facts.songIds[0] ?? `charged:${facts.chargedIds?.[0]}`}`
  if (facts.kind === 'account-closed') return `${facts.kind}:${facts.uid}`
  if (facts.kind === 'operator-unlocked') return `${facts.kind}:${facts.sessionId}`
  if (facts.kind === 'unlock-limit') return `${facts.kind}:${facts.uid}:${facts.since}`
  if (facts.kind === 'large-adjustment') return `${facts.kind}:${facts.adjustmentId}`
  if (facts.kind === 'payment-suspicious') return `${facts.kind}:${facts.paymentId}:${facts.reason}`
  if (facts.kind === 'payment-reversed') return `${facts.kind}:${facts.reversalId}`
  if (facts.kind === 'debt') return `${facts.kind}:${facts.uid}:${facts.version}`
  return `${facts.kind}:${facts.paymentId}`
}
