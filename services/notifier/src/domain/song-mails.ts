import { briefLines, changesUntil, FIRST_SONG_PRICE_CENTS, fromCents, type Song } from '@prelude/contracts'
import {
  type Block,
  excerpt,
  greeting,
  linkDesk,
  linkHome,
  linkSong,
  type MailBranding,
  type MailContent,
  oneLine,
} from './mail.ts'

/** Spec §7: on submit, a notification with lyrics, style and e-mail; whole, so that the operator can work from it. */
export const songRequestedMail = (song: Song, branding: MailBranding): MailContent => ({
  to: branding.operatorEmail,
  subject: `New song request: ${excerpt(song.style, 60)}`,
  blocks: [
    { kind: 'text', text: 'A new demo song was requested.' },
    ...requestBlocks(song),
    linkDesk(song.id, branding),
  ],
})

/** The same for requests of one person that are too many to be announced one by one. */
export const requestsWaitingMail = (
  waiting: readonly Song[],
  charged: readonly Song[],
  branding: MailBranding,
): MailContent => ({
  to: branding.operatorEmail,
  subject:
    charged.length > 0
      ? `${charged.length + waiting.length} more song ${charged.length + waiting.length === 1 ? 'request' : 'requests'} of one person`
      : `${waiting.length} more ${waiting.length === 1 ? 'request waits' : 'requests wait'} for credits`,
  blocks: [
    ...section(charged, 'One person has asked for more songs than are announced one by one. These are paid.'),
    ...section(
      waiting,
      'One person has asked for more songs than there are credits for. Each is announced again when it is paid.',
    ),
    linkHome('Open the operator panel', branding),
  ],
})

const section = (songs: readonly Song[], text: string): Block[] =>
  songs.length === 0 ? [] : [{ kind: 'text', text }, ...songs.flatMap(requestBlocks)]

const requestBlocks = (song: Song): Block[] => [
  {
    kind: 'facts',
    facts: [['Name', song.username], ['E-mail', song.email], ['Request ID', song.id], ...promiseOf(song)],
  },
  { kind: 'verbatim', label: 'Style', text: song.style },
  ...(song.brief ? [{ kind: 'facts', facts: briefLines(song.brief) } as const] : []),
  { kind: 'verbatim', label: 'Lyrics', text: song.lyrics },
]

/** Spec §7: on fulfilment, a notification with name and e-mail, sent to the customer. */
export function songReadyMail(song: Song, branding: MailBranding): MailContent {
  const name = firstName(song)
  return {
    to: song.email,
    subject: name === null ? 'Your song is ready' : `Your song is ready, ${name}`,
    blocks: [
      greeting(firstName(song)),
      { kind: 'text', text: 'Your demo song is finished. Two versions are waiting for you on its page.' },
      ...(song.charge === 'gift'
        ? [{ kind: 'text', text: 'This one is on us: it cost you no credits.' } as const]
        : []),
      {
        kind: 'facts',
        facts: [
          ['Style', excerpt(song.style, 100)],
          ...(song.username === ANONYMOUS ? [] : ([['Name', song.username]] as const)),
          ['E-mail', song.email],
          ...changesOf(song, branding),
        ],
      },
      linkSong('Listen to your song', song, branding),
      { kind: 'text', text: 'It belongs to you, and you may use it commercially.' },
    ],
  }
}

export const songCookingMail = (song: Song, branding: MailBranding): MailContent => ({
  to: song.email,
  subject: 'Your song is cooking now',
  blocks: [
    greeting(firstName(song)),
    {
      kind: 'text',
      text: `Your credits arrived, and ${priceOf(song)} credits went to the request that was waiting for them. We will write again once the song is ready.`,
    },
    { kind: 'facts', facts: [['Style', excerpt(song.style, 100)], ...promiseOf(song)] },
    linkSong('Open your request', song, branding),
  ],
})

/** Why there will be no song, or no paid one: declined or cancelled, given back by the operator, or a gift now. */
export const creditsBackMail = (song: Song, branding: MailBranding): MailContent => {
  // songs may receive the refund after this service
  const isBack = song.status !== 'declined' || song.charge === 'refunded'
  const reason = song.refundReason ?? song.closedReason ?? undefined
  return {
    to: song.email,
    subject: isBack ? `${priceOf(song)} credits are back in your account` : 'We cannot make this song',
    blocks: [
      greeting(firstName(song)),
      { kind: 'text', text: whyBack(song) },
      ...(reason === undefined ? [] : [{ kind: 'verbatim', label: 'Why', text: reason } as const]),
      { kind: 'facts', facts: [['Style', excerpt(song.style, 100)]] },
      linkSong('Open your request', song, branding),
    ],
  }
}

/** Of a request whose credits came back before, or that was to be a gift: nothing comes back with it. */
export const songDeclinedMail = (song: Song, branding: MailBranding): MailContent => ({
  to: song.email,
  subject: 'We cannot make this song',
  blocks: [
    greeting(firstName(song)),
    {
      kind: 'text',
      text:
        song.charge === 'gift'
          ? 'We could not make this song for you. It was to be a gift and cost you nothing.'
          : `We could not make this song for you. The ${priceOf(song)} credits that it had taken came back to you before.`,
    },
    { kind: 'verbatim', label: 'Why', text: song.closedReason ?? '' },
    { kind: 'facts', facts: [['Style', excerpt(song.style, 100)]] },
    linkSong('Open your request', song, branding),
  ],
})

/** A song that the operator gave back may be closed before its mail is sent: the reason of the refund tells why. */
function whyBack(song: Song): string {
  const { status, charge, refundReason } = song
  const back = `so the ${priceOf(song)} credits that it had taken are yours again.`
  if (status === 'cancelled' && refundReason === undefined) return `You cancelled this request, ${back}`
  if (charge === 'gift') return `This song is a gift from us, ${back}`
  if (status === 'declined' && charge !== 'refunded')
    return 'We could not make this song for you. It cost you nothing.'
  return status === 'ready'
    ? `We give this song back, ${back}`
    : `We could not make this song for you, ${back}`
}

export const promiseOf = ({ promisedAt }: Song): [string, string][] =>
  promisedAt === null ? [] : [['Ready by', utc(promisedAt)]]

/** Until when its owner may say on its page what should change. */
export function changesOf(song: Song, branding: MailBranding): [string, string][] {
  const until = changesUntil(song, branding)
  return until === null ? [] : [['Changes until', utc(until)]]
}

/** In UTC, since the reader's time zone is not known. */
export const utc = (at: number): string => `${MINUTES.format(at)} UTC`

const MINUTES = new Intl.DateTimeFormat('en', {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
  timeZone: 'UTC',
})

const priceOf = ({ price }: Song): string => (price ?? fromCents(FIRST_SONG_PRICE_CENTS)).toFixed(2)

/** Of a person without a name. */
const ANONYMOUS = 'Anonymous'

export function firstName(song: Song): string | null {
  if (song.username === ANONYMOUS) return null
  return oneLine(song.username).split(' ')[0] || null
}
