import { fromCents, type PaymentRecord, type Person } from '@prelude/contracts'
import { greeting, linkHome, type MailBranding, type MailContent } from './mail.ts'

export function receiptMail(payment: PaymentRecord, person: Person, branding: MailBranding): MailContent {
  const credits = payment.creditsCents === null ? '' : fromCents(payment.creditsCents).toFixed(2)
  const isTransfer = payment.method === 'naira_transfer'
  return {
    to: person.email,
    subject: isTransfer
      ? `Your bank transfer arrived: ${credits} credits`
      : `Your receipt: ${credits} credits for ${money(payment)}`,
    blocks: [
      greeting(person.firstName),
      {
        kind: 'text',
        text: isTransfer
          ? 'Your bank transfer arrived, and the credits are in your account. Thank you!'
          : 'Your payment arrived, and the credits are in your account. Thank you!',
      },
      {
        kind: 'facts',
        facts: [
          ['Paid', money(payment)],
          ['Credits', credits],
          ['Method', METHODS[payment.method] ?? payment.method],
          [
            'Date',
            new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(
              payment.createdAt,
            ),
          ],
          ['Payment', payment.id],
        ],
      },
      ...(payment.receiptUrl === null
        ? []
        : [{ kind: 'link', label: 'Receipt of the payment provider', url: payment.receiptUrl } as const]),
      linkHome('Make a song', branding),
    ],
  }
}

/** The e-mail is the reference that the transfer must carry. */
export const transferOpenedMail = (
  transferId: string,
  person: Person,
  branding: MailBranding,
): MailContent => ({
  to: branding.operatorEmail,
  subject: `Bank transfer announced by ${person.email}`,
  blocks: [
    {
      kind: 'text',
      text: 'Somebody says that a bank transfer was made. Please look for it on the account, then confirm or reject it.',
    },
    {
      kind: 'facts',
      facts: [
        ['Name', person.name ?? 'Anonymous'],
        ['E-mail and payment reference', person.email],
        ['Transfer', transferId],
      ],
    },
    linkHome('Open the operator panel', branding),
  ],
})

export const transferRejectedMail = (
  transferId: string,
  person: Person,
  branding: MailBranding,
): MailContent => ({
  to: person.email,
  subject: 'We could not find your bank transfer',
  blocks: [
    greeting(person.firstName),
    {
      kind: 'text',
      text: `We looked for the bank transfer that you told us about and could not match it to money on our account, so no credits were added. If you did send it, please write to ${branding.supportEmail} with the receipt of your bank.`,
    },
    { kind: 'facts', facts: [['Transfer', transferId]] },
    linkHome(`Open ${branding.brandName}`, branding),
  ],
})

const MISMATCH =
  'A payment does not match what was asked for. Nothing was credited. Please look at it at the payment provider.'

/** By the first word of the reason. */
const WHAT_TO_DO: Readonly<Record<string, string>> = {
  refund_failed:
    'A refund failed: the money came back, and the person has the credits again. If they are to have the money, it must go another way.',
  disputed:
    'The payer disputes this payment. Please answer at the payment provider. If the money goes back, a refund there takes the credits back by itself; else take them by an adjustment.',
  dispute_resolved:
    'A dispute of this payment has ended. Please see at the payment provider who has the money now, and whether the credits agree.',
  account_closed:
    'The account of a payment was closed before its credits could be spent: please refund it in the operator panel.',
}

export const paymentSuspiciousMail = (
  facts: { paymentId: string; uid: string; reason: string },
  branding: MailBranding,
): MailContent => ({
  to: branding.operatorEmail,
  subject: `Please check a payment: ${facts.reason}`,
  blocks: [
    {
      kind: 'text',
      text: WHAT_TO_DO[facts.reason.split(' ', 1)[0] ?? ''] ?? MISMATCH,
    },
    {
      kind: 'facts',
      facts: [
        ['Reason', facts.reason],
        ['Payment', facts.paymentId],
        ['Account', facts.uid],
      ],
    },
    linkHome('Open the operator panel', branding),
  ],
})

/** To the person: how much of a payment was returned, the credits that were taken for it, and those owed because they were spent. */
export function paymentReversedMail(
  facts: { creditsCents: number; owedCents: number; debtCents: number },
  payment: PaymentRecord,
  person: Person,
  branding: MailBranding,
): MailContent {
  const credits = (cents: number): string => fromCents(cents).toFixed(2)
  const { creditsCents, owedCents, debtCents } = facts
  const isDisputed = payment.status === 'disputed'
  return {
    to: person.email,
    subject: isDisputed
      ? `Your bank disputes a payment: ${credits(creditsCents)} credits are on hold`
      : `Your payment was refunded: ${credits(creditsCents)} credits were taken back`,
    blocks: [
      greeting(person.firstName),
      {
        kind: 'text',
        text: isDisputed
          ? `Your bank disputes your payment of ${money(payment)}. Until that is decided, its ${credits(creditsCents)} credits are not yours to spend.`
          : `Money of your payment of ${money(payment)} went back to you, so its ${credits(creditsCents)} credits were taken back.`,
      },
      ...(owedCents === 0
        ? []
        : [
            {
              kind: 'text',
              text: `${credits(owedCents)} of them were spent already: you owe these. Your next credits settle that first, before they pay for songs. There is nothing else that you have to do.`,
            } as const,
          ]),
      {
        kind: 'facts',
        facts: [
          ['Taken from your balance', `${credits(creditsCents - owedCents)} credits`],
          ['Owed in all', `${credits(debtCents)} credits`],
          ['Payment', payment.id],
        ],
      },
      { kind: 'link', label: 'See your statement', url: new URL('/statement', branding.publicUrl).href },
    ],
  }
}

export const debtMail = (
  facts: { paymentId: string; debtCents: number },
  person: Person,
  branding: MailBranding,
): MailContent => ({
  to: branding.operatorEmail,
  subject: `${person.email} owes ${fromCents(facts.debtCents).toFixed(2)} credits`,
  blocks: [
    {
      kind: 'text',
      text: 'A payment was refunded or disputed after its credits were spent. The next credits settle this debt first. Charged songs of this person that are still pending are marked in the operator panel.',
    },
    {
      kind: 'facts',
      facts: [
        ['Name', person.name ?? 'Anonymous'],
        ['E-mail', person.email],
        ['Owed in all', `${fromCents(facts.debtCents).toFixed(2)} credits`],
        ['Payment', facts.paymentId],
      ],
    },
    linkHome('Open the operator panel', branding),
  ],
})

const METHODS: Record<string, string> = {
  card: 'Card',
  naira_transfer: 'Naira Transfer',
  alternate: 'Paystack',
}

const money = (payment: PaymentRecord): string =>
  new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency: payment.currency,
    currencyDisplay: 'narrowSymbol',
  }).format(fromCents(payment.amountCents ?? 0))
