import type { Song } from '@prelude/contracts'
import { excerpt, greeting, linkDesk, linkSong, type MailBranding, type MailContent } from './mail.ts'
import { changesOf, firstName, promiseOf } from './song-mails.ts'

/** The promise has passed: one mail, which also says how to cancel. */
export const songLateMail = (song: Song, branding: MailBranding): MailContent => ({
  to: song.email,
  subject: 'Your song is late',
  blocks: [
    greeting(firstName(song)),
    {
      kind: 'text',
      text: `We have not kept our word: your song is not ready yet. We are still making it, and we will write as soon as it is there. ${
        song.charge === 'gift'
          ? 'It is a gift and costs you no credits; if you would rather not wait, you can cancel the request on its page.'
          : 'If you would rather not wait, cancel the request on its page: all of its credits come back.'
      }`,
    },
    { kind: 'facts', facts: [['Style', excerpt(song.style, 100)], ...promiseOf(song)] },
    linkSong('Open your request', song, branding),
  ],
})

/** To the operator, with the notes, so that the work can begin from the mail. */
export const changesAskedMail = (song: Song, branding: MailBranding): MailContent => ({
  to: branding.operatorEmail,
  subject: `Changes asked for: ${excerpt(song.style, 60)}`,
  blocks: [
    { kind: 'text', text: `${song.username} asks for changes of a delivered song.` },
    {
      kind: 'facts',
      facts: [
        ['E-mail', song.email],
        ['Request ID', song.id],
      ],
    },
    ...(song.changes?.notes ?? []).map(
      ({ version, atMs, text }) =>
        ({
          kind: 'verbatim',
          label: `Version ${version}${atMs === null ? '' : `, ${clock(atMs)}`}`,
          text,
        }) as const,
    ),
    linkDesk(song.id, branding),
  ],
})

export const changesDeliveredMail = (song: Song, branding: MailBranding): MailContent => ({
  to: song.email,
  subject: 'Your changes are ready',
  blocks: [
    greeting(firstName(song)),
    {
      kind: 'text',
      text: 'We changed your song as you asked. The new recording is on its page, beside the one before.',
    },
    { kind: 'facts', facts: [['Style', excerpt(song.style, 100)], ...changesOf(song, branding)] },
    linkSong('Listen to your song', song, branding),
  ],
})

/** m:ss */
const clock = (ms: number): string =>
  `${Math.floor(ms / 60_000)}:${String(Math.floor(ms / 1000) % 60).padStart(2, '0')}`
