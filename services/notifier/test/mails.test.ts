import { requestedSong } from '@prelude/platform/testing'
import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import { LANGUAGES, type PaymentRecord, type Person, type Song, STANDARD_TERMS } from '@prelude/contracts'
import { nextTry, GIVE_UP_AFTER_MS } from '../src/domain/back-off.ts'
import { excerpt, type MailBranding, layOut } from '../src/domain/mail.ts'
import { paymentReversedMail, paymentSuspiciousMail, receiptMail } from '../src/domain/payment-mails.ts'
import { DEFAULT_READER as READER, type Reader } from '../src/domain/reader.ts'
import {
  changesDeliveredMail,
  creditsBackMail,
  type OwnSong,
  requestsWaitingMail,
  songCookingMail,
  songDeclinedMail,
  songLateMail,
  songReadyMail,
  songReplacedMail,
  songRequestedMail,
} from '../src/domain/song-mails.ts'
import { PAYMENT as SOME_PAYMENT } from './start-notifier.ts'

const BRANDING: MailBranding = {
  brandName: 'Prelude',
  publicUrl: 'https://prelude.example',
  supportEmail: 'help@prelude.example',
  operatorEmail: 'operator@prelude.example',
  ...STANDARD_TERMS,
}
const SONG: OwnSong = {
  firstName: 'Ada',
  ...requestedSong({
    lyrics: 'first line\\nsecond line',
    style: 'slow folk',
    status: 'ready',
    revision: 3,
    updatedAt: 1,
  }),
}
const PERSON: Person = { uid: 'u1', name: 'Ada Lovelace', firstName: 'Ada', email: 'ada@example.com' }
const PAYMENT: PaymentRecord = {
  ...SOME_PAYMENT,
  receiptUrl: 'https://pay.example/r?a=1&b=2',
  createdAt: Date.UTC(2026, 0, 2),
}

test('the operator gets lyrics, style and e-mail of a request unabridged', () => {
  const lyrics = `${'A long line of lyrics. '.repeat(400)}\n\n  indented <b>bold</b>`
  const mail = songRequestedMail({ ...SONG, lyrics }, BRANDING)
  const { text, html } = layOut(mail, BRANDING)
  expect(mail.to).toBe('operator@prelude.example')
  for (const part of [lyrics, SONG.style, SONG.email, SONG.id]) expect(text).toContain(part)
  expect(html).toContain('&#60;b&#62;bold&#60;/b&#62;')
  expect(html).not.toContain('<b>bold')
})

test('the operator gets the brief of a request', () => {
  const brief = { genre: 'folk\nrock', tempoBpm: 96, instruments: ['horns', 'bass'], keepWords: true }
  const { text } = layOut(songRequestedMail({ ...SONG, brief }, BRANDING), BRANDING)
  expect(text).toContain(
    'Genre: folk rock\nTempo (BPM): 96\nInstruments: horns, bass\nKeep the words exactly: yes',
  )
})

test('the operator reads until when a charged request is promised, and gets a link to it', () => {
  const promised = { ...SONG, promisedAt: Date.UTC(2026, 10, 24, 14, 5) }
  const { text } = layOut(songRequestedMail(promised, BRANDING), BRANDING)
  expect(text).toMatch(/Ready by: +Tuesday, November 24 at 14:05 UTC/)
  expect(text).toContain(`https://prelude.example/operator?song=${SONG.id}`)
  expect(layOut(songRequestedMail(SONG, BRANDING), BRANDING).text).not.toContain('Ready by')
})

test('characters that change the direction of text are marked in mails to the operator, and kept in others', () => {
  const song = { ...SONG, username: 'Ada \u202Egpj.exe', style: 'folk \u2066x', lyrics: 'la \u2069' }
  const { subject, text, html } = layOut(songRequestedMail(song, BRANDING), BRANDING)
  for (const part of [subject, text, html]) {
    expect(part).not.toMatch(/[\u202A-\u202E\u2066-\u2069]/)
    expect(part).toContain('folk \uFFFDx')
  }
  expect(text).toContain('Ada \uFFFDgpj.exe')
  expect(text).toContain('la \uFFFD')
  expect(layOut(songReadyMail(song, READER, BRANDING), BRANDING).text).toContain('folk \u2066x')
})

test('the mail of a finished song goes to the address of the song with name, e-mail and a link', () => {
  const mail = songReadyMail(SONG, READER, BRANDING)
  const { subject, text, html } = layOut(mail, BRANDING)
  expect(mail.to).toBe('ada@example.com')
  expect(subject).toBe('Your song is ready: “slow folk”')
  for (const part of ['Hi Ada,', 'Ada Lovelace, ada@example.com', 'help@prelude.example'])
    expect(text).toContain(part)
  expect(text).toContain(`https://prelude.example/songs/${SONG.id}\n`)
  expect(html).toContain(`href="https://prelude.example/songs/${SONG.id}"`)
})

test.for([
  ['cooking', songCookingMail],
  ['late', songLateMail],
  ['changed', changesDeliveredMail],
  ['refunded', creditsBackMail],
] as const)('the mail of a song that is %s leads to its page', ([, mailOf]) => {
  const { text } = layOut(mailOf(SONG, READER, BRANDING), BRANDING)
  expect(text).toContain(`https://prelude.example/songs/${SONG.id}\n`)
})

test.for([
  ['finished', songReadyMail],
  ['changed', changesDeliveredMail],
] as const)(
  'the mail of a song that is %s says until when its owner may ask for changes, where that can be',
  ([, mailOf]) => {
    const asked = ['requested', 'delivered', 'changes_asked', 'changes_delivered'] as const
    const at = Date.UTC(2026, 10, 24, 14, 5)
    const textOf = (steps: readonly (typeof asked)[number][], rest: Partial<Song> = {}) => {
      const timeline = steps.map((state) => ({ state, at }))
      const two = { ...BRANDING, changesIncluded: 2 }
      return layOut(mailOf({ ...SONG, timeline, ...rest }, READER, two), two).text
    }
    expect(textOf(asked)).toContain('Changes until: Friday, November 27 at 14:05 UTC')
    for (const none of [textOf([...asked, ...asked.slice(2)]), textOf(asked, { acceptedAt: at })])
      expect(none).not.toContain('Changes until')
  },
)

test('a person without a name is greeted all the same', () => {
  const song = { ...SONG, username: 'Anonymous', firstName: null }
  const { text } = layOut(songReadyMail(song, READER, BRANDING), BRANDING)
  expect(text).toContain('Hi there,')
  expect(text).not.toContain('Anonymous')
})

test('the subject of a mail about a song holds the beginning of its title, else of its style; each cause has its own', () => {
  const closed: OwnSong = { ...SONG, status: 'declined', charge: 'refunded', closedReason: 'No singer.' }
  const mails = [
    [songReadyMail, SONG],
    [songCookingMail, SONG],
    [songLateMail, SONG],
    [changesDeliveredMail, SONG],
    [songReplacedMail, SONG],
    [creditsBackMail, closed],
    [creditsBackMail, { ...closed, status: 'cancelled', closedReason: null }],
    [creditsBackMail, { ...SONG, charge: 'refunded' }],
  ] as const
  const title = `Paper\u2028Boats ${'🎵'.repeat(30)}`
  for (const language of LANGUAGES) {
    const subjectOf = ([mailOf, song]: (typeof mails)[number], rest: Partial<Song>): string =>
      layOut(mailOf({ ...song, ...rest }, { language, timeZone: null }, BRANDING), BRANDING).subject
    const subjects = mails.map((mail) => subjectOf(mail, { title }))
    expect(new Set(subjects).size).toBe(mails.length)
    for (const subject of subjects) expect(subject).toContain(`Paper Boats ${'🎵'.repeat(23)}…`)
    for (const mail of mails) expect(subjectOf(mail, {})).toContain('slow folk')
  }
  expect(layOut(songRequestedMail({ ...SONG, title }, BRANDING), BRANDING).subject).toContain('Paper Boats')
})

test('a person reads mails in their language and the times of their zone, with its name; without one in UTC', () => {
  const song = { ...SONG, promisedAt: Date.UTC(2026, 10, 24, 23, 5) }
  const lateOf = (reader: Reader) =>
    layOut(songLateMail(song, reader, BRANDING), BRANDING, { optional: true })
  const lagos = lateOf({ language: 'fr', timeZone: 'Africa/Lagos' })
  for (const part of [
    'Bonjour Ada,',
    'Prête d’ici: mercredi 25 novembre à 00:05 (Africa/Lagos)',
    'Questions'.toLowerCase(),
  ])
    expect(lagos.text).toContain(part)
  expect(lagos.html).toContain('<html lang="fr">')
  expect(lateOf(READER).text).toContain('Ready by: Tuesday, November 24 at 23:05 UTC')
  const payment = { ...PAYMENT, createdAt: Date.UTC(2026, 0, 2, 3) }
  const receiptOf = (reader: Reader) => layOut(receiptMail(payment, PERSON, reader, BRANDING), BRANDING).text
  expect(receiptOf({ language: 'pt', timeZone: 'America/Sao_Paulo' })).toMatch(
    /Créditos: 25,00[^]*2 de janeiro de 2026/,
  )
  expect(receiptOf({ language: 'en', timeZone: 'America/New_York' })).toContain('1 January 2026')
})

test('a line break of any kind is one in both parts; a long mail is whole in its text part, and short enough for Gmail', () => {
  const lyrics = 'one\u000btwo\u2028three\r\n  four'
  const { text, html } = layOut(songRequestedMail({ ...SONG, lyrics }, BRANDING), BRANDING)
  expect(text).toContain('one\ntwo\nthree\n  four')
  expect(html).toContain('one<br>\ntwo<br>\nthree<br>\n&nbsp;&nbsp;four')
  const songs = Array.from({ length: 20 }, (_, n) => ({ ...SONG, lyrics: `${n} ${'"&<'.repeat(3_000)} end` }))
  const digest = layOut(requestsWaitingMail([], songs, BRANDING), BRANDING)
  expect(Buffer.byteLength(digest.html)).toBeLessThan(102_000)
  expect(digest.text.match(/ end$/gm)).toHaveLength(20)
})

test('a gift is called a gift, also when its credits come back', () => {
  const gift: OwnSong = { ...SONG, charge: 'gift', charged: false }
  expect(layOut(songReadyMail(gift, READER, BRANDING), BRANDING).text).toContain('on us')
  expect(layOut(creditsBackMail(gift, READER, BRANDING), BRANDING).text).toContain('gift')
  expect(layOut(creditsBackMail(SONG, READER, BRANDING), BRANDING).text).toContain('10.00 credits')
})

test('a mail says what its song cost, also after the price has changed; 10 credits where the song does not say', () => {
  const refunded: OwnSong = { ...SONG, charge: 'refunded', status: 'declined', closedReason: 'No singer.' }
  for (const mailOf of [songCookingMail, creditsBackMail, songDeclinedMail])
    for (const [price, read] of [
      [7.5, '7.50 credits'],
      [12, '12.00 credits'],
      [null, '10.00 credits'],
    ] as const)
      expect(layOut(mailOf({ ...refunded, price }, READER, BRANDING), BRANDING).text).toContain(read)
  const given: OwnSong = { ...refunded, status: 'ready', price: 7.5 }
  expect(creditsBackMail(given, READER, BRANDING).subject).toBe('7.50 credits are back: “slow folk”')
})

test('a gift that is late promises no credits, and one that is declined took none', () => {
  const gift: OwnSong = { ...SONG, charge: 'gift', charged: false }
  const late = (song: OwnSong) => layOut(songLateMail(song, READER, BRANDING), BRANDING).text
  expect(late(SONG)).toContain('all of its credits come back')
  expect(late(gift)).not.toContain('come back')
  expect(late(gift)).toContain('you can cancel the request')
  const declined = (song: OwnSong) =>
    layOut(
      songDeclinedMail({ ...song, status: 'declined', closedReason: 'No singer.' }, READER, BRANDING),
      BRANDING,
    )
  expect(declined(gift).text).toContain('cost you nothing')
  expect(declined({ ...SONG, charge: 'refunded' }).text).toMatch(
    /10\.00 credits[^]*before[^]*Why:\nNo singer\./,
  )
})

test('who gets the credits of a song back reads the operator’s reason', () => {
  const refunded: OwnSong = {
    ...SONG,
    charge: 'refunded',
    charged: false,
    refundReason: 'No singer <for> this.',
  }
  const { text, html } = layOut(creditsBackMail(refunded, READER, BRANDING), BRANDING)
  expect(text).toContain('Why:\nNo singer <for> this.')
  expect(html).toContain('No singer &#60;for&#62; this.')
  // it was cancelled before this mail about the refund was sent
  const cancelled = layOut(creditsBackMail({ ...refunded, status: 'cancelled' }, READER, BRANDING), BRANDING)
  expect(cancelled.text).toContain('Why:\nNo singer <for> this.')
  expect(cancelled.text).not.toContain('You cancelled')
  // it was declined before, which has a mail and a reason of its own
  const declined = { ...refunded, status: 'declined' as const, closedReason: 'No words.' }
  const mail = layOut(creditsBackMail(declined, READER, BRANDING), BRANDING)
  expect(mail.text).toContain('Why:\nNo singer <for> this.')
  expect(mail.text).not.toContain('No words.')
})

test('a receipt states the sum and the credits', () => {
  const { subject, text, html } = layOut(receiptMail(PAYMENT, PERSON, READER, BRANDING), BRANDING)
  expect(subject).toBe('Your receipt: 25.00 credits for $25.00')
  for (const part of ['Paid: $25.00', 'Credits: 25.00', 'Card', '2 January 2026', 'p1'])
    expect(text).toContain(part)
  expect(html).toContain('href="https://pay.example/r?a=1&#38;b=2"')
  const transfer: PaymentRecord = {
    ...PAYMENT,
    method: 'naira_transfer',
    amountCents: 3_700_000,
    currency: 'NGN',
  }
  expect(layOut(receiptMail(transfer, PERSON, READER, BRANDING), BRANDING).text).toContain('₦37,000.00')
})

test('a refunded person reads what was taken back and what they owe; without a debt nothing of one', () => {
  const textOf = (owedCents: number, status: PaymentRecord['status'] = 'refunded'): string =>
    layOut(
      paymentReversedMail(
        { creditsCents: 6000, owedCents, debtCents: owedCents },
        { ...PAYMENT, amountCents: 6000, status },
        PERSON,
        READER,
        BRANDING,
      ),
      BRANDING,
    ).text
  for (const part of [
    '$60.00',
    '60.00 credits were taken back',
    '50.00 of them were spent',
    'p1',
    '/statement',
  ])
    expect(textOf(5000)).toContain(part)
  expect(textOf(0)).not.toContain('you owe')
  expect(textOf(0, 'disputed')).toContain('Your bank disputes your payment of $60.00')
})

test('the operator reads what a payment needs: a mismatch credited nothing, a failed refund gave the credits again', () => {
  const textOf = (reason: string): string =>
    layOut(paymentSuspiciousMail({ paymentId: 'p1', uid: 'u1', reason }, BRANDING), BRANDING).text
  expect(textOf('amount')).toMatch(/Nothing was credited[^]*amount[^]*p1/)
  expect(textOf('refund_failed re_1')).toMatch(/A refund failed[^]*re_1[^]*p1/)
})

test('whatever a person writes, a subject stays one line and the HTML holds no tag of theirs', () => {
  const nasty = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('Ada\r\nBcc: eve@example.com', '"><script>alert(1)</script>', "'&<>", '\u2028x\u0085y'),
  )
  fc.assert(
    fc.property(nasty, nasty, (username, style) => {
      for (const mail of [
        (song: OwnSong) => songReadyMail(song, READER, BRANDING),
        (song: OwnSong) => songRequestedMail(song, BRANDING),
      ]) {
        const { subject, html } = layOut(mail({ ...SONG, username, style }), BRANDING)
        expect(subject).not.toMatch(/[\p{Cc}\u2028\u2029]/u)
        expect(html).not.toContain('<script')
        const tags = html.match(/<(?!br)[^>]*>/g)?.length
        const plain = layOut(mail({ ...SONG, username: 'Ada', style: 'x' }), BRANDING)
        expect(tags).toBe(plain.html.match(/<(?!br)[^>]*>/g)?.length)
      }
    }),
    { seed: inject('seed') },
  )
})

test('an excerpt counts whole characters and says that there is more', () => {
  expect(excerpt('🎵🎵🎵', 2)).toBe('🎵🎵…')
  expect(excerpt('🎵🎵', 2)).toBe('🎵🎵')
})

test('a mail is tried after 1 s, then twice as late each time up to 30 minutes, for 24 hours', () => {
  const delays = [1, 2, 3, 11, 12, 40].map((attempts) => nextTry({ attempts, giveUpAt: 10, now: 0 }))
  expect(delays).toEqual([1_000, 2_000, 4_000, 1_024_000, 1_800_000, 1_800_000])
  expect(nextTry({ attempts: 50, giveUpAt: GIVE_UP_AFTER_MS, now: GIVE_UP_AFTER_MS })).toBeNull()
})
