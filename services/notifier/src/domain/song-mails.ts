import {
  briefLines,
  changesUntil,
  FIRST_SONG_PRICE_CENTS,
  fromCents,
  type Person,
  type Song,
} from '@prelude/contracts'
import {
  type Block,
  calledIn,
  excerpt,
  factTable,
  linkDesk,
  linkPanel,
  linkSong,
  type MailBranding,
  type MailContent,
  paragraph,
  toOperator,
  toPerson,
  verbatim,
} from './mail.ts'
import { creditsFor, DEFAULT_READER, type Reader, timeFor, wordsFor } from './reader.ts'

/** Spec §7: on submit, a notification with lyrics, style and e-mail; whole, so that the operator can work from it. */
export const songRequestedMail = (song: Song, branding: MailBranding): MailContent => ({
  ...toOperator(branding, song),
  subject: `New song request: ${calledIn(song)}`,
  blocks: [paragraph('A new demo song was requested.'), ...requestBlocks(song), linkDesk(song.id, branding)],
})

/** The same for requests of one person that are too many to be announced one by one. */
export const requestsWaitingMail = (
  waiting: readonly Song[],
  charged: readonly Song[],
  branding: MailBranding,
): MailContent => ({
  ...toOperator(branding, charged[0] ?? waiting[0]),
  subject:
    charged.length > 0
      ? `${charged.length + waiting.length} more song ${charged.length + waiting.length === 1 ? 'request' : 'requests'} of one person`
      : `${waiting.length} more ${waiting.length === 1 ? 'request waits' : 'requests wait'} for credits`,
  blocks: [
    // where a mail program that shows the beginning of a long mail alone shows it
    linkPanel(branding),
    ...section(charged, 'One person has asked for more songs than are announced one by one. These are paid.'),
    ...section(
      waiting,
      'One person has asked for more songs than there are credits for. Each is announced again when it is paid.',
    ),
  ],
})

const section = (songs: readonly Song[], text: string): Block[] =>
  songs.length === 0 ? [] : [paragraph(text), ...songs.flatMap(requestBlocks)]

const requestBlocks = (song: Song): Block[] => [
  factTable(
    ['Name', song.username],
    ['E-mail', song.email],
    ['Request ID', song.id],
    ...promiseOf(song, DEFAULT_READER),
  ),
  verbatim('Style', song.style),
  ...(song.brief ? [factTable(...briefLines(song.brief))] : []),
  verbatim('Lyrics', song.lyrics),
]

/** To the operator, with the notes, so that the work can begin from the mail. */
export const changesAskedMail = (song: Song, branding: MailBranding): MailContent => ({
  ...toOperator(branding, song),
  subject: `Changes asked for: ${calledIn(song)}`,
  blocks: [
    paragraph(`${song.username} asks for changes of a delivered song.`),
    factTable(['E-mail', song.email], ['Request ID', song.id]),
    ...(song.changes?.notes ?? []).map(({ version, atMs, text }) =>
      verbatim(`Version ${version}${atMs === null ? '' : `, ${clock(atMs)}`}`, text),
    ),
    linkDesk(song.id, branding),
  ],
})

/** m:ss */
const clock = (ms: number): string =>
  `${Math.floor(ms / 60_000)}:${String(Math.floor(ms / 1000) % 60).padStart(2, '0')}`

/** A song with the first name of its owner, for the greeting. */
export type OwnSong = Song & Pick<Person, 'firstName'>

/** How a song is called in the subject of a mail to its owner. */
const quoted = (song: Song, reader: Reader): string => wordsFor(reader).quoted(calledIn(song))

const styleOf = (song: Song, reader: Reader): [string, string] => [
  wordsFor(reader).style,
  excerpt(song.style, 100),
]

/** Spec §7: on fulfilment, a notification with name and e-mail, sent to the customer. */
export function songReadyMail(song: OwnSong, reader: Reader, branding: MailBranding): MailContent {
  const { ready, listen } = wordsFor(reader)
  const person = song.username === ANONYMOUS ? song.email : `${song.username}, ${song.email}`
  return toPerson(song, reader, {
    subject: ready.subject(quoted(song, reader)),
    blocks: [
      paragraph(ready.text),
      ...(song.charge === 'gift' ? [paragraph(ready.gift)] : []),
      factTable(styleOf(song, reader), ...changesOf(song, reader, branding)),
      linkSong(listen, song, branding),
      paragraph(`${ready.yours} ${ready.sentTo(person)}`),
    ],
  })
}

export function songCookingMail(song: OwnSong, reader: Reader, branding: MailBranding): MailContent {
  const { cooking, openRequest } = wordsFor(reader)
  return toPerson(song, reader, {
    subject: cooking.subject(quoted(song, reader)),
    blocks: [
      paragraph(cooking.text(priceOf(song, reader))),
      factTable(styleOf(song, reader), ...promiseOf(song, reader)),
      linkSong(openRequest, song, branding),
    ],
  })
}

/** The promise has passed: one mail, which also says how to cancel. */
export function songLateMail(song: OwnSong, reader: Reader, branding: MailBranding): MailContent {
  const { late, openRequest } = wordsFor(reader)
  return toPerson(song, reader, {
    subject: late.subject(quoted(song, reader)),
    blocks: [
      paragraph(`${late.text} ${song.charge === 'gift' ? late.gift : late.credits}`),
      factTable(styleOf(song, reader), ...promiseOf(song, reader)),
      linkSong(openRequest, song, branding),
    ],
  })
}

export function changesDeliveredMail(song: OwnSong, reader: Reader, branding: MailBranding): MailContent {
  const { changed, listen } = wordsFor(reader)
  return toPerson(song, reader, {
    subject: changed.subject(quoted(song, reader)),
    blocks: [
      paragraph(changed.text),
      factTable(styleOf(song, reader), ...changesOf(song, reader, branding)),
      linkSong(listen, song, branding),
    ],
  })
}

/** The operator has replaced a file of a ready song. */
export function songReplacedMail(song: OwnSong, reader: Reader, branding: MailBranding): MailContent {
  const { replaced, listen } = wordsFor(reader)
  return toPerson(song, reader, {
    subject: replaced.subject(quoted(song, reader)),
    blocks: [paragraph(replaced.text), factTable(styleOf(song, reader)), linkSong(listen, song, branding)],
  })
}

/** Why there will be no song, or no paid one: declined or cancelled, given back by the operator, or a gift now. */
export const creditsBackMail = (song: OwnSong, reader: Reader, branding: MailBranding): MailContent =>
  withReason(song, reader, branding, {
    ...whyBack(song, reader),
    reason: song.refundReason ?? song.closedReason,
  })

/** Of a request whose credits came back before, or that was to be a gift: nothing comes back with it. */
export function songDeclinedMail(song: OwnSong, reader: Reader, branding: MailBranding): MailContent {
  const { declined } = wordsFor(reader)
  return withReason(song, reader, branding, {
    subject: declined.subject(quoted(song, reader)),
    text: song.charge === 'gift' ? declined.gift : declined.before(priceOf(song, reader)),
    reason: song.closedReason,
  })
}

function withReason(
  song: OwnSong,
  reader: Reader,
  branding: MailBranding,
  { subject, text, reason }: { subject: string; text: string; reason: string | null },
): MailContent {
  const { why, openRequest } = wordsFor(reader)
  return toPerson(song, reader, {
    subject,
    blocks: [
      paragraph(text),
      ...(reason === null ? [] : [verbatim(why, reason)]),
      factTable(styleOf(song, reader)),
      linkSong(openRequest, song, branding),
    ],
  })
}

/** A song that the operator gave back may be closed before its mail is sent: the reason of the refund tells why. */
function whyBack(song: Song, reader: Reader): { subject: string; text: string } {
  const { back, cancelled, declined } = wordsFor(reader)
  const { status, charge, refundReason } = song
  const [name, credits] = [quoted(song, reader), priceOf(song, reader)]
  if (status === 'cancelled' && refundReason === undefined)
    return { subject: cancelled.subject(credits, name), text: back.cancelled(credits) }
  if (charge === 'gift') return { subject: back.subject(credits, name), text: back.gift(credits) }
  // songs may receive the refund after this service
  if (status === 'declined' && charge !== 'refunded')
    return { subject: declined.subject(name), text: declined.free }
  if (status === 'declined')
    return { subject: declined.subjectBack(credits, name), text: declined.back(credits) }
  return {
    subject: back.subject(credits, name),
    text: status === 'ready' ? back.given(credits) : declined.back(credits),
  }
}

export const promiseOf = ({ promisedAt }: Song, reader: Reader): [string, string][] =>
  promisedAt === null ? [] : [[wordsFor(reader).readyBy, timeFor(reader, promisedAt)]]

/** Until when its owner may say on its page what should change. */
function changesOf(song: Song, reader: Reader, branding: MailBranding): [string, string][] {
  const until = changesUntil(song, branding)
  return until === null ? [] : [[wordsFor(reader).changesUntil, timeFor(reader, until)]]
}

const priceOf = ({ price }: Song, reader: Reader): string =>
  creditsFor(reader, price ?? fromCents(FIRST_SONG_PRICE_CENTS))

/** Of a person without a name. */
const ANONYMOUS = 'Anonymous'
