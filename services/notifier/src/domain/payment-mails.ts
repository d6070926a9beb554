import { fromCents, type PaymentRecord, type Person } from '@prelude/contracts'
import {
  factTable,
  link,
  linkHome,
  linkPanel,
  type MailBranding,
  type MailContent,
  paragraph,
  personFacts,
  toOperator,
  toPerson,
} from './mail.ts'
import { creditsFor, dateFor, moneyFor, type Reader, wordsFor } from './reader.ts'

export function receiptMail(
  payment: PaymentRecord,
  person: Person,
  reader: Reader,
  branding: MailBranding,
): MailContent {
  const { receipt } = wordsFor(reader)
  const credits = payment.creditsCents === null ? '' : creditsOf(reader, payment.creditsCents)
  const isTransfer = payment.method === 'naira_transfer'
  return toPerson(person, reader, {
    subject: isTransfer ? receipt.transferSubject(credits) : receipt.subject(credits, money(payment, reader)),
    blocks: [
      paragraph(isTransfer ? receipt.transferText : receipt.text),
      factTable(
        [receipt.paid, money(payment, reader)],
        [receipt.credits, credits],
        [receipt.method, receipt.methods[payment.method]],
        [receipt.date, dateFor(reader, payment.createdAt)],
        [receipt.payment, payment.id],
      ),
      linkHome(receipt.makeSong, branding),
      ...(payment.receiptUrl === null
        ? []
        : [{ kind: 'link', label: receipt.ofProvider, url: payment.receiptUrl } as const]),
    ],
  })
}

/** The e-mail is the reference that the transfer must carry. */
export const transferOpenedMail = (
  transferId: string,
  person: Person,
  branding: MailBranding,
): MailContent => ({
  ...toOperator(branding, person),
  subject: `Bank transfer announced by ${person.email}`,
  blocks: [
    paragraph(
      'Somebody says that a bank transfer was made. Please look for it on the account, then confirm or reject it.',
    ),
    factTable(
      ['Name', person.name ?? 'Anonymous'],
      ['E-mail and payment reference', person.email],
      ['Transfer', transferId],
    ),
    linkPanel(branding),
  ],
})

export function transferRejectedMail(
  transferId: string,
  person: Person,
  reader: Reader,
  branding: MailBranding,
): MailContent {
  const { rejected } = wordsFor(reader)
  return toPerson(person, reader, {
    subject: rejected.subject,
    blocks: [
      paragraph(rejected.text(branding.supportEmail)),
      factTable([rejected.transfer, transferId]),
      linkHome(rejected.open(branding.brandName), branding),
    ],
  })
}

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
    paragraph(WHAT_TO_DO[facts.reason.split(' ', 1)[0] ?? ''] ?? MISMATCH),
    factTable(['Reason', facts.reason], ['Payment', facts.paymentId], ['Account', facts.uid]),
    linkPanel(branding),
  ],
})

/** To the person: how much of a payment was returned, the credits that were taken for it, and those owed because they were spent. */
export function paymentReversedMail(
  facts: { creditsCents: number; owedCents: number; debtCents: number },
  payment: PaymentRecord,
  person: Person,
  reader: Reader,
  branding: MailBranding,
): MailContent {
  const { reversed } = wordsFor(reader)
  const credits = (cents: number): string => creditsOf(reader, cents)
  const { creditsCents, owedCents, debtCents } = facts
  const isDisputed = payment.status === 'disputed'
  const [subject, text] = isDisputed
    ? [reversed.disputedSubject, reversed.disputed]
    : [reversed.subject, reversed.text]
  return toPerson(person, reader, {
    subject: subject(credits(creditsCents)),
    blocks: [
      paragraph(text(money(payment, reader), credits(creditsCents))),
      ...(owedCents === 0 ? [] : [paragraph(reversed.owed(credits(owedCents)))]),
      factTable(
        [reversed.taken, reversed.credits(credits(creditsCents - owedCents))],
        [reversed.owedInAll, reversed.credits(credits(debtCents))],
        [wordsFor(reader).receipt.payment, payment.id],
      ),
      link(reversed.statement, '/statement', branding),
    ],
  })
}

export const debtMail = (
  facts: { paymentId: string; debtCents: number },
  person: Person,
  branding: MailBranding,
): MailContent => ({
  ...toOperator(branding, person),
  subject: `${person.email} owes ${fromCents(facts.debtCents).toFixed(2)} credits`,
  blocks: [
    paragraph(
      'A payment was refunded or disputed after its credits were spent. The next credits settle this debt first. Charged songs of this person that are still pending are marked in the operator panel.',
    ),
    factTable(
      ...personFacts(person),
      ['Owed in all', `${fromCents(facts.debtCents).toFixed(2)} credits`],
      ['Payment', facts.paymentId],
    ),
    linkPanel(branding),
  ],
})

const creditsOf = (reader: Reader, cents: number): string => creditsFor(reader, fromCents(cents))

const money = ({ amountCents, currency }: PaymentRecord, reader: Reader): string =>
  moneyFor(reader, fromCents(amountCents ?? 0), currency)
