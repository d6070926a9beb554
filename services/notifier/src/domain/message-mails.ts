import type { Song, SongMessage } from '@prelude/contracts'
import {
  type Block,
  calledIn,
  factTable,
  link,
  linkDesk,
  linkSong,
  type MailBranding,
  type MailContent,
  paragraph,
  toOperator,
  toPerson,
  toThread,
  verbatim,
} from './mail.ts'
import { DEFAULT_READER, type Reader, timeFor, wordsFor } from './reader.ts'
import type { OwnSong } from './song-mails.ts'

/** What the operator wrote about a song and its owner has not read. */
export function messageToOwnerMail(
  song: OwnSong,
  unread: readonly SongMessage[],
  reader: Reader,
  branding: MailBranding,
): MailContent {
  const { messages, quoted } = wordsFor(reader)
  const name = quoted(calledIn(song))
  return toPerson(song, reader, {
    subject: unread.length === 1 ? messages.one(name) : messages.several(name),
    blocks: [
      paragraph(messages.text(name)),
      ...unread.map(asBlock(reader)),
      toThread(linkSong(messages.answer, song, branding)),
    ],
  })
}

/** What the owner of a song wrote and the operator has not read. */
export const messageToOperatorMail = (
  song: Song,
  unread: readonly SongMessage[],
  branding: MailBranding,
): MailContent => ({
  ...toOperator(branding, song),
  subject: `${unread.length === 1 ? 'Message' : 'Messages'} about ${calledIn(song)}`,
  blocks: [
    paragraph(`${song.username} wrote about a song.`),
    factTable(['E-mail', song.email], ['Request ID', song.id]),
    ...unread.map(asBlock(DEFAULT_READER)),
    toThread(linkDesk(song.id, branding)),
  ],
})

/** About more songs of one person than are announced one by one. */
export const messagesToOperatorMail = (songs: readonly Song[], branding: MailBranding): MailContent => ({
  ...toOperator(branding, songs[0]),
  subject: `Messages of one person about ${songs.length === 1 ? 'another song' : `${songs.length} more songs`}`,
  blocks: [
    paragraph('One person wrote about more songs than are announced one by one.'),
    link('Open the desk', '/operator', branding),
    ...songs.map((song) =>
      toThread(linkDesk(song.id, branding, `${calledIn(song)} (${song.unreadByOperator ?? 0} unread)`)),
    ),
  ],
})

const asBlock =
  (reader: Reader) =>
  ({ text, at }: SongMessage): Block =>
    verbatim(timeFor(reader, at), text)
