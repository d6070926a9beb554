import { fromCents, type Person } from '@prelude/contracts'
import {
  type Block,
  factTable,
  link,
  linkPanel,
  type MailBranding,
  type MailContent,
  paragraph,
  personFacts,
  toPerson,
} from './mail.ts'
import { DEFAULT_READER, type Reader, timeFor, wordsFor } from './reader.ts'

/** Mails about acts that a stolen session or password would make possible. */

/** The last mail to this person: their address is deleted when it is sent. */
export function accountClosedMail(person: Person, reader: Reader, branding: MailBranding): MailContent {
  const { closed } = wordsFor(reader)
  return toPerson(person, reader, {
    subject: closed.subject,
    blocks: [paragraph(closed.text), paragraph(closed.last(branding.supportEmail))],
  })
}

export const operatorUnlockedMail = (branding: MailBranding): MailContent => ({
  to: branding.operatorEmail,
  subject: 'Admin mode was enabled in a new session',
  blocks: [
    paragraph(
      'The admin password was entered in a session for the first time since its sign-in. If that was not you, end the session and change the password.',
    ),
    sessionsLink(branding),
  ],
})

export const unlockLimitMail = ({ since }: { since: number }, branding: MailBranding): MailContent => ({
  to: branding.operatorEmail,
  subject: 'Wrong admin passwords: further ones are refused for now',
  blocks: [
    paragraph(
      'The admin password was wrong five times within 15 minutes. Until they have passed it is refused, also the right one. The person who tried is signed in with your account: if that was not you, end all other sessions.',
    ),
    factTable(['Since', timeFor(DEFAULT_READER, since)]),
    sessionsLink(branding),
  ],
})

export const largeAdjustmentMail = (
  { amountCents, adjustmentId }: { amountCents: number; adjustmentId: string },
  person: Person,
  branding: MailBranding,
): MailContent => {
  const credits = fromCents(Math.abs(amountCents)).toFixed(2)
  const what = amountCents > 0 ? 'added' : 'taken'
  return {
    to: branding.operatorEmail,
    subject: `${credits} credits were ${what} by hand`,
    blocks: [
      paragraph('An adjustment of this size is always announced. If it was not you, look at the audit.'),
      factTable(...personFacts(person), ['Credits', `${credits} ${what}`], ['Adjustment', adjustmentId]),
      linkPanel(branding),
    ],
  }
}

/** Unlike a card payment, a transfer is credited because the operator's session says that it arrived. */
export const largeTransferMail = (
  { creditsCents, paymentId }: { creditsCents: number; paymentId: string },
  person: Person,
  branding: MailBranding,
): MailContent => {
  const credits = fromCents(creditsCents).toFixed(2)
  return {
    to: branding.operatorEmail,
    subject: `${credits} credits were added for a bank transfer`,
    blocks: [
      paragraph(
        'A transfer of this size is always announced. If it was not you who confirmed or recorded it, look at the audit and at the bank account.',
      ),
      factTable(...personFacts(person), ['Credits', credits], ['Transfer', paymentId]),
      linkPanel(branding),
    ],
  }
}

const sessionsLink = (branding: MailBranding): Block => link('See your sessions', '/sessions', branding)
