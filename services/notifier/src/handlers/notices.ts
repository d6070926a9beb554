import {
  CreditsCharged,
  CreditsRefunded,
  DebtChanged,
  type EventData,
  type EventDefinition,
  PaymentSucceeded,
  PaymentSuspicious,
  SongFulfilled,
  SongRequested,
  TransferOpened,
  TransferSettled,
} from '@prelude/contracts'
import { onMany } from '@prelude/platform'
import type { Notice } from '../domain/notice.ts'
import { queueMessages } from '../store/message.ts'

/** Queues the mails that events cause; an event may cause none (null). */
const mailAbout = <E extends EventDefinition>(event: E, noticeOf: (data: EventData<E>) => Notice | null) =>
  onMany<E>(event, (events, tx) =>
    queueMessages(
      tx,
      events.flatMap((cause) => {
        const notice = noticeOf(cause.data)
        return notice === null ? [] : [{ notice, cause }]
      }),
    ),
  )

/** Which event causes which mail. */
export const notices = [
  mailAbout(SongRequested, ({ uid, songId }) => ({ kind: 'song-requested', uid, songId })),
  mailAbout(SongFulfilled, ({ uid, songId }) => ({ kind: 'song-ready', uid, songId })),
  // a song that is charged at once is shown at once: only one that waited for credits is worth a mail
  mailAbout(CreditsCharged, ({ uid, songId, waited }) =>
    waited ? { kind: 'song-cooking', uid, songId } : null,
  ),
  mailAbout(CreditsRefunded, ({ uid, songId }) => ({ kind: 'credits-back', uid, songId })),
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
