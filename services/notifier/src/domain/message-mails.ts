import type { Song, SongMessage } from '@prelude/contracts'
import {
  type Block,
  excerpt,
  greeting,
  linkDesk,
  linkSong,
  type MailBranding,
  type MailContent,
} from './mail.ts'
import { firstName, utc } from './song-mails.ts'

/** What the operator wrote about a song and its owner has not read. */
export const messageToOwnerMail = (
  song: Song,
  unread: readonly SongMessage[],
  branding: MailBranding,
): MailContent => ({
  to: song.email,
  subject: `New ${unread.length === 1 ? 'message' : 'messages'} about your song: ${nameOf(song)}`,
  blocks: [
    greeting(firstName(song)),
    { kind: 'text', text: `We wrote to you about your song “${nameOf(song)}”.` },
    ...unread.map(asBlock),
    linkSong('Answer', song, branding),
  ],
})

/** What the owner of a song wrote and the operator has not read. */
export const messageToOperatorMail = (
  song: Song,
  unread: readonly SongMessage[],
  branding: MailBranding,
): MailContent => ({
  to: branding.operatorEmail,
  subject: `${unread.length === 1 ? 'Message' : 'Messages'} about ${nameOf(song)}`,
  blocks: [
    { kind: 'text', text: `${song.username} wrote about a song.` },
    {
      kind: 'facts',
      facts: [
        ['E-mail', song.email],
        ['Request ID', song.id],
      ],
    },
    ...unread.map(asBlock),
    linkDesk(song.id, branding),
  ],
})

/** About more songs of one person than are announced one by one. */
export const messagesToOperatorMail = (songs: readonly Song[], branding: MailBranding): MailContent => ({
  to: branding.operatorEmail,
  subject: `Messages of one person about ${songs.length === 1 ? 'another song' : `${songs.length} more songs`}`,
  blocks: [
    { kind: 'text', text: 'One person wrote about more songs than are announced one by one.' },
    { kind: 'facts', facts: songs.map((song) => [nameOf(song), `${song.unreadByOperator ?? 0} unread`]) },
    linkDesk(songs[0]?.id ?? '', branding),
  ],
})

const nameOf = ({ title, style }: Song): string => excerpt(title ?? style, 35)

const asBlock = ({ text, at }: SongMessage): Block => ({ kind: 'verbatim', label: utc(at), text })
