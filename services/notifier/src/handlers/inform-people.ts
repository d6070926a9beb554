import {
  ChangesAsked,
  ChangesDelivered,
  CreditsAdjusted,
  CreditsRefunded,
  CreditsReversed,
  DebtChanged,
  type EventDefinition,
  type EventEnvelope,
  LARGE_AMOUNT_CENTS,
  MessagesRead,
  MessageWritten,
  OperatorUnlocked,
  PaymentSucceeded,
  PaymentSuspicious,
  SongClosed,
  SongFulfilled,
  SongLate,
  TakeReplaced,
  TransferOpened,
  TransferSettled,
  UnlockLimitReached,
} from '@prelude/contracts'
import { type Clock, on, onMany, type Subscriber, type Tx } from '@prelude/platform'
import type { MailFacts } from '../domain/mail-facts.ts'
import { queueMessages } from '../store/message.ts'
import { queueToOperator, queueToOwner } from '../store/message-mail.ts'
import { addMessageNotice, addNotices, type NewNotice, readMessageNotice } from '../store/notice.ts'
import { dropUnannounced } from '../store/unannounced-request.ts'

interface Caused {
  readonly mail?: MailFacts | readonly MailFacts[]
  readonly notice?: NewNotice
}

/** Queues the mails and adds the notice that an event causes; it may cause none. */
const inform =
  <E extends EventDefinition>(
    event: E,
    causedBy: (cause: EventEnvelope<E>) => Caused,
    before: (events: readonly EventEnvelope<E>[], tx: Tx) => Promise<void> = async () => {},
  ) =>
  (clock: Clock): Subscriber =>
    onMany<E>(event, async (events, tx) => {
      await before(events, tx)
      const caused = events.map((cause) => ({ cause, ...causedBy(cause) }))
      queueMessages(
        tx,
        caused.flatMap(({ mail = [], cause }) => [mail].flat().map((facts) => ({ facts, cause }))),
        clock.now(),
      )
      await addNotices(
        tx,
        caused.flatMap(({ notice, cause }) => (notice ? [{ notice, cause }] : [])),
        clock.now(),
      )
    })

/** Which event causes which mail and notice; requests and charges are in announce-requests.ts. */
export const informPeople = (clock: Clock): Subscriber[] => [
  ...INFORMED.map((of) => of(clock)),
  // one after the other: a mail about the first stands for those of the next hour
  on(TakeReplaced, async (cause, tx) => {
    const { uid, songId } = cause.data
    const notice = { kind: 'replaced', uid, songId, subject: cause.id } as const
    queueMessages(
      tx,
      [{ facts: { kind: 'song-replaced', uid, songId, eventId: cause.id }, cause }],
      clock.now(),
    )
    await addNotices(tx, [{ notice, cause }], clock.now())
  }),
  on(MessageWritten, async (cause, tx) => {
    const { from, unread, ...written } = cause.data
    if (from === 'owner') return queueToOperator(tx, written, cause, clock.now())
    await addMessageNotice(tx, written, cause, clock.now())
    await queueToOwner(tx, { ...written, isFirst: unread === 1 }, cause, clock.now())
  }),
  on(MessagesRead, (cause, tx) => readMessageNotice(tx, cause.data, cause, clock.now())),
]

const INFORMED = [
  inform(SongFulfilled, ({ data: { uid, songId } }) => ({
    mail: { kind: 'song-ready', uid, songId },
    notice: { kind: 'ready', uid, songId },
  })),
  inform(SongLate, ({ data: { uid, songId } }) => ({
    mail: { kind: 'song-late', uid, songId },
    notice: { kind: 'late', uid, songId },
  })),
  inform(ChangesAsked, ({ id: eventId, data: { uid, songId } }) => ({
    mail: { kind: 'changes-asked', uid, songId, eventId },
  })),
  inform(ChangesDelivered, ({ id: eventId, data: { uid, songId } }) => ({
    mail: { kind: 'changes-delivered', uid, songId, eventId },
    notice: { kind: 'changes_delivered', uid, songId, subject: eventId },
  })),
  // a refund that follows from it has the same cause, so there is one mail; an earlier refund had a mail of its own.
  // A cancellation needs none
  inform(
    SongClosed,
    ({ data: { uid, songId, reason, free } }) =>
      reason === 'declined'
        ? {
            mail: { kind: free ? 'song-declined' : 'credits-back', uid, songId },
            notice: { kind: 'declined', uid, songId },
          }
        : {},
    // it no longer waits for credits
    (events, tx) =>
      dropUnannounced(
        tx,
        events.map(({ data }) => data.songId),
        { onlyWaiting: false },
      ),
  ),
  // a decline has its own notice, and who cancels needs none
  inform(CreditsRefunded, ({ data: { uid, songId, closed } }) => ({
    mail: { kind: 'credits-back', uid, songId },
    ...(closed === undefined && { notice: { kind: 'credits_back', uid, songId } as const }),
  })),
  inform(CreditsAdjusted, ({ data: { uid, adjustmentId, amount: amountCents } }) =>
    Math.abs(amountCents) > LARGE_AMOUNT_CENTS
      ? { mail: { kind: 'large-adjustment', uid, adjustmentId, amountCents } }
      : {},
  ),
  inform(OperatorUnlocked, ({ data: { uid, sessionId } }) => ({
    mail: { kind: 'operator-unlocked', uid, sessionId },
  })),
  inform(UnlockLimitReached, ({ data: { uid, since } }) => ({ mail: { kind: 'unlock-limit', uid, since } })),
  inform(CreditsReversed, ({ data: reversed }) => ({
    mail: {
      kind: 'payment-reversed',
      uid: reversed.uid,
      paymentId: reversed.paymentId,
      reversalId: reversed.reversalId,
      creditsCents: reversed.amount,
      owedCents: reversed.owed,
      debtCents: reversed.debt,
    },
  })),
  // a debt that shrinks needs nothing of the operator
  inform(DebtChanged, ({ data: { uid, reference: paymentId, change, debt: debtCents, version } }) =>
    change > 0 ? { mail: { kind: 'debt', uid, paymentId, debtCents, version } } : {},
  ),
  inform(PaymentSucceeded, ({ data: { uid, paymentId, credits: creditsCents, method } }) => ({
    mail: [
      { kind: 'receipt', uid, paymentId },
      ...(method === 'naira_transfer' && creditsCents > LARGE_AMOUNT_CENTS
        ? [{ kind: 'large-transfer', uid, paymentId, creditsCents } as const]
        : []),
    ],
  })),
  inform(PaymentSuspicious, ({ data: { uid, paymentId, reason } }) => ({
    mail: { kind: 'payment-suspicious', uid, paymentId, reason },
  })),
  inform(TransferOpened, ({ data: { uid, transferId: paymentId } }) => ({
    mail: { kind: 'transfer-opened', uid, paymentId },
  })),
  // a confirmed transfer is also a payment that succeeded: both events have one cause, so there is one receipt
  inform(TransferSettled, ({ data: { uid, transferId: paymentId, outcome } }) => ({
    mail: { kind: outcome === 'confirmed' ? 'receipt' : 'transfer-rejected', uid, paymentId },
    notice: { kind: 'transfer_settled', uid, songId: null, subject: paymentId },
  })),
]
