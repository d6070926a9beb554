/** The subject of a mail: ids and facts alone. Texts and addresses are read from their services when it is sent. */
export type Notice =
  | {
      readonly kind: 'song-requested' | 'song-ready' | 'song-cooking' | 'credits-back'
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
  'transfer-opened',
  'payment-suspicious',
])

/** All other kinds go to the customer. */
export const isToOperator = (notice: Notice): boolean => TO_OPERATOR.has(notice.kind)

/** The key of a mail: two events with one cause make one mail (a confirmed transfer is also a payment that succeeded). */
export function causeOf(notice: Notice): string {
  if ('songId' in notice) return `${notice.kind}:${notice.songId}`
  if (notice.kind === 'payment-suspicious') return `${notice.kind}:${notice.paymentId}:${notice.reason}`
  if (notice.kind === 'debt') return `${notice.kind}:${notice.uid}:${notice.version}`
  return `${notice.kind}:${notice.paymentId}`
}
