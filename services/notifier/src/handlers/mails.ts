import {
  ChangesAsked,
  ChangesDelivered,
  CreditsAdjusted,
  CreditsRefunded,
  CreditsReversed,
  DebtChanged,
  type EventData,
  type EventDefinition,
  LARGE_AMOUNT_CENTS,
  OperatorUnlocked,
  PaymentSucceeded,
  PaymentSuspicious,
  SongClosed,
  SongFulfilled,
  SongLate,
  TransferOpened,
  TransferSettled,
  UnlockLimitReached,
} from '@prelude/contracts'
import { onMany } from '@prelude/platform'
import type { MailFacts } from '../domain/mail-facts.ts'
import { queueMessages } from '../store/message.ts'

/** Queues the mails that events cause; an event may cause none (null). */
const mailAbout = <E extends EventDefinition>(event: E, factsOf: (data: EventData<E>) => MailFacts | null) =>
  onMany<E>(event, (events, tx) =>
    queueMessages(
      tx,
      events.flatMap((cause) => {
        const facts = factsOf(cause.data)
        return facts === null ? [] : [{ facts, cause }]
      }),
    ),
  )

/** Which event causes which mail; announcements of requests are in announce-requests.ts. */
export const mails = [
  mailAbout(SongLate, ({ uid, songId }) => ({ kind: 'song-late', uid, songId })),
  mailAbout(ChangesAsked, ({ uid, songId }) => ({ kind: 'changes-asked', uid, songId })),
  mailAbout(ChangesDelivered, ({ uid, songId }) => ({ kind: 'changes-delivered', uid, songId })),
  // where credits come back as well, both events have one cause, so there is one mail; a cancellation needs none of its own
  mailAbout(SongClosed, ({ uid, songId, reason }) =>
    reason === 'declined' ? { kind: 'credits-back', uid, songId } : null,
  ),
  mailAbout(SongFulfilled, ({ uid, songId }) => ({ kind: 'song-ready', uid, songId })),
  mailAbout(CreditsAdjusted, ({ uid, adjustmentId, amount: amountCents }) =>
    Math.abs(amountCents) > LARGE_AMOUNT_CENTS
      ? { kind: 'large-adjustment', uid, adjustmentId, amountCents }
      : null,
  ),
  mailAbout(OperatorUnlocked, ({ uid, sessionId }) => ({ kind: 'operator-unlocked', uid, sessionId })),
  mailAbout(UnlockLimitReached, ({ uid, since }) => ({ kind: 'unlock-limit', uid, since })),
  mailAbout(CreditsRefunded, ({ uid, songId }) => ({ kind: 'credits-back', uid, songId })),
  mailAbout(CreditsReversed, (reversed) => ({
    kind: 'payment-reversed',
    uid: reversed.uid,
    paymentId: reversed.paymentId,
    reversalId: reversed.reversalId,
    creditsCents: reversed.amount,
    owedCents: reversed.owed,
    debtCents: reversed.debt,
  })),
  // a debt that shrinks needs nothing of the operator
  mailAbout(DebtChanged, ({ uid, reference: paymentId, change, debt: debtCents, version }) =>
    change > 0 ? { kind: 'debt', uid, paymentId, debtCents, version } : null,
  ),
  mailAbout(PaymentSucceeded, ({ uid, paymentId }) => ({ kind: 'receipt', uid, paymentId })),
  mailAbout(PaymentSuspicious, ({ uid, paymentId, reason }) => ({
    kind: 'payment-suspicious',
    uid,
    paymentId,
    reason,
  })),
  mailAbout(TransferOpened, ({ uid, transferId: paymentId }) => ({
    kind: 'transfer-opened',
    uid,
    paymentId,
  })),
  // a confirmed transfer is also a payment that succeeded: both events have one cause, so there is one receipt
  mailAbout(TransferSettled, ({ uid, transferId: paymentId, outcome }) => ({
    kind: outcome === 'confirmed' ? 'receipt' : 'transfer-rejected',
    uid,
    paymentId,
  })),
]
