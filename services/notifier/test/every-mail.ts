import { LANGUAGES, type PaymentRecord, type Person, type Song } from '@prelude/contracts'
import { requestedSong } from '@prelude/platform/testing'
import { composeMail, type Owners } from '../src/compose-mail.ts'
import { layOut } from '../src/domain/mail.ts'
import { isOptional, isToOperator, type MailFacts } from '../src/domain/mail-facts.ts'
import { BRANDING, PAYMENT as SOME_PAYMENT } from './start-notifier.ts'

/** Every kind of mail about a person who writes from right to left, in every language of its reader. */

const PERSON: Person = {
  uid: 'u1',
  name: 'שרה כהן',
  firstName: 'שרה',
  email: 'sara.with.a.long.address@mail.example.test',
}
const AT = Date.UTC(2026, 10, 24, 14, 5)
const TEXT = 'one\u000btwo\u2028three\nfour\u0085שלום'
const SONG = requestedSong({
  username: 'שרה כהן',
  email: PERSON.email,
  style: 'שיר עם שקט',
  lyrics: TEXT,
  brief: { genre: 'עממי', tempoBpm: 96, instruments: ['horns', 'תופים'], keepWords: true },
  promisedAt: AT,
  timeline: [{ state: 'delivered', at: AT }],
})
const PAYMENT: PaymentRecord = {
  ...SOME_PAYMENT,
  id: '019ac2f1-8d7e-7000-8000-000000000001',
  receiptUrl: 'https://pay.example.test/receipts/1',
  createdAt: AT,
}

type Kind = MailFacts['kind']
type Facts<K extends Kind> = Omit<MailFacts & { kind: K }, 'kind' | 'uid'>
const about = { songId: SONG.id }
const paid = { paymentId: PAYMENT.id }

const FACTS: { readonly [K in Kind]: Facts<K> } = {
  'song-requested': { ...about, waiting: false },
  'requests-waiting': { songIds: [SONG.id], chargedIds: [SONG.id, SONG.id] },
  'song-ready': about,
  'song-cooking': about,
  'song-late': about,
  'song-declined': about,
  'credits-back': about,
  'changes-asked': { ...about, eventId: 'e1' },
  'changes-delivered': { ...about, eventId: 'e1' },
  'song-replaced': { ...about, eventId: 'e1' },
  'message-to-owner': { ...about, at: AT },
  'message-to-operator': { ...about, at: AT },
  'messages-to-operator': { songs: { [SONG.id]: AT } },
  receipt: paid,
  'transfer-opened': paid,
  'transfer-rejected': paid,
  'payment-suspicious': { ...paid, reason: 'refund_failed re_3PqYbL2eZvKYlo2C1h5X0abcdefghijklmnop' },
  'account-closed': {},
  'operator-unlocked': { sessionId: 's1' },
  'unlock-limit': { since: AT },
  'large-adjustment': { adjustmentId: PAYMENT.id, amountCents: 120_000 },
  'large-transfer': { ...paid, creditsCents: 120_000 },
  'payment-reversed': { ...paid, reversalId: 'r1', creditsCents: 2500, owedCents: 1000, debtCents: 1000 },
  debt: { ...paid, debtCents: 1000, version: 1 },
}

const STATES: { readonly [K in Kind]?: Partial<Song> } = {
  'song-declined': { status: 'declined', charge: 'refunded', closedAt: AT, closedReason: TEXT },
  'credits-back': { status: 'declined', charge: 'refunded', closedAt: AT, closedReason: TEXT },
  'changes-asked': {
    changes: {
      state: 'asked',
      notes: [{ version: 1, atMs: 61_000, text: TEXT }],
      askedAt: AT,
      deliveredAt: null,
    },
  },
  'messages-to-operator': { unreadByOperator: 2 },
}

const ownersOf = (song: Song) =>
  ({
    song: async () => song,
    // of these, the first waits for credits
    songs: async (ids) => ids.map(() => ({ ...song, charge: ids.length === 1 ? 'declined' : 'charged' })),
    unread: async (_, from) => [{ id: 'm1', from, text: TEXT, at: AT, readAt: null }],
    people: { get: async () => PERSON, closingMail: async () => PERSON } as unknown as Owners['people'],
    payments: { get: async () => PAYMENT } as unknown as Owners['payments'],
  }) satisfies Owners as Owners

export async function everyMail() {
  const mails: { kind: Kind; language: string; subject: string; html: string }[] = []
  for (const [kind, rest] of Object.entries(FACTS)) {
    const facts = { kind, uid: PERSON.uid, ...rest } as MailFacts
    const owners = ownersOf({ ...SONG, ...STATES[facts.kind] })
    for (const language of isToOperator(facts) ? (['en'] as const) : LANGUAGES) {
      const reader = { language, timeZone: 'Africa/Lagos' }
      const mail = await composeMail({ facts, attempts: 1 }, owners, reader, BRANDING)
      if (!mail) throw new Error(`no mail of kind ${kind}`)
      const { subject, html } = layOut(mail, BRANDING, { optional: isOptional(facts) })
      mails.push({ kind: facts.kind, language, subject, html })
    }
  }
  return mails
}
