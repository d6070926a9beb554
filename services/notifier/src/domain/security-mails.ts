import { fromCents, type Person } from '@prelude/contracts'
import { linkHome, type MailBranding, type MailContent } from './mail.ts'

/** About the operator's own account: what a thief of the session or the password would cause. */

export const operatorUnlockedMail = (branding: MailBranding): MailContent => ({
  to: branding.operatorEmail,
  subject: 'Admin mode was enabled in a new session',
  blocks: [
    {
      kind: 'text',
      text: 'The admin password was entered in a session for the first time since its sign-in. If that was not you, end the session and change the password.',
    },
    link('See your sessions', branding),
  ],
})

export const unlockLimitMail = ({ since }: { since: number }, branding: MailBranding): MailContent => ({
  to: branding.operatorEmail,
  subject: 'Wrong admin passwords: further ones are refused for now',
  blocks: [
    {
      kind: 'text',
      text: 'The admin password was wrong five times within 15 minutes. Until they have passed it is refused, also the right one. Whoever tried is signed in with your account: if that was not you, end all other sessions.',
    },
    {
      kind: 'facts',
      facts: [['Since', `${new Date(since).toISOString().slice(0, 16).replace('T', ' ')} UTC`]],
    },
    link('See your sessions', branding),
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
      {
        kind: 'text',
        text: 'An adjustment of this size is always announced. If it was not you, look at the audit.',
      },
      {
        kind: 'facts',
        facts: [
          ['Name', person.name ?? 'Anonymous'],
          ['E-mail', person.email],
          ['Credits', `${credits} ${what}`],
          ['Adjustment', adjustmentId],
        ],
      },
      linkHome('Open the operator panel', branding),
    ],
  }
}

const link = (label: string, branding: MailBranding) =>
  ({ kind: 'link', label, url: new URL('/sessions', branding.publicUrl).href }) as const
