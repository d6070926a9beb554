/** The subject of a mail: ids and facts alone. Texts and addresses are read from their services when it is sent. */
export type Notice =
  | {
      readonly kind: 'song-requested'
      readonly uid: string
      readonly songId: string
      /** For credits, when the mail was queued: only so many of one person are announced one by one. */
      readonly waiting: boolean
    }
  | {
      readonly kind: 'requests-waiting'
      readonly uid: string
      readonly songIds: readonly string[]
    }
  | {
      readonly kind:
        'song-ready' | 'song-cooking' | 'song-late' | 'changes-asked' | 'changes-delivered' | 'credits-back'
      readonly uid: string
      readonly songId: string
    }
  | {
      readonly kind: 'receipt' | 'transfer-opened' | 'transfer-rejected'
      readonly uid: string
      readonly paymentId: string
    }
  | {
      readonly kind: 'payment-suspicious'
      readonly uid: string
      readonly paymentId: string
      readonly reason: string
    }
  | { readonly kind: 'account-closed'; readonly uid: string }
  | { readonly kind: 'operator-unlocked'; readonly uid: string; readonly sessionId: string }
  | { readonly kind: 'unlock-limit'; readonly uid: string; readonly since: number }
  | {
      readonly kind: 'large-adjustment'
      readonly uid: string
      readonly adjustmentId: string
      readonly amountCents: number
    }
  | {
      readonly kind: 'payment-reversed'
      readonly uid: string
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
      readonly uid: string
      readonly paymentId: string
      readonly debtCents: number
      /** Of the account: every growth of a debt is a cause of its own. */
      readonly version: number
    }

const TO_OPERATOR: ReadonlySet<Notice['kind']> = new Set([
  'song-requested',
  'requests-waiting',
  'changes-asked',
  'transfer-opened',
  'payment-suspicious',
  'operator-unlocked',
  'unlock-limit',
  'large-adjustment',
  'debt',
])

/** All other kinds go to the customer. */
export const isToOperator = (notice: Notice): boolean => TO_OPERATOR.has(notice.kind)

/** The key of a mail: two events with one cause make one mail (a confirmed transfer is also a payment that succeeded). */
export function causeOf(notice: Notice): string {
  if ('songId' in notice) return `${notice.kind}:${notice.songId}`
  if (notice.kind === 'requests-waiting') return `${notice.kind}:${notice.songIds[0]}`
  if (notice.kind === 'account-closed') return `${notice.kind}:${notice.uid}`
  if (notice.kind === 'operator-unlocked') return `${notice.kind}:${notice.sessionId}`
  if (notice.kind === 'unlock-limit') return `${notice.kind}:${notice.uid}:${notice.since}`
  if (notice.kind === 'large-adjustment') return `${notice.kind}:${notice.adjustmentId}`
  if (notice.kind === 'payment-suspicious') return `${notice.kind}:${notice.paymentId}:${notice.reason}`
  if (notice.kind === 'payment-reversed') return `${notice.kind}:${notice.reversalId}`
  if (notice.kind === 'debt') return `${notice.kind}:${notice.uid}:${notice.version}`
  return `${notice.kind}:${notice.paymentId}`
}
