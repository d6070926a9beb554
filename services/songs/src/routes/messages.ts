import { type messagesApi, MessagesRead, MessageWritten } from '@prelude/contracts'
import { AppError, type Clock, type Database, isId, paged, type RouteHandler } from '@prelude/platform'
import { changeSongs } from '../change-song.ts'
import { withMessage, withMessagesRead } from '../domain/messages.ts'
import type { Terms } from '../domain/song.ts'
import * as store from '../store/message.ts'
import { lockSongs } from '../store/song.ts'
import { songIdOf } from './present.ts'

export const listMessages =
  (db: Database): RouteHandler<typeof messagesApi.list> =>
  ({ params, query }) =>
    paged(
      query,
      ['number', 'id'],
      (after, limit) => store.listMessages(db, songIdOf(params), { after, limit }),
      ({ at, id }) => [at, id],
    )

export const listUnread =
  (db: Database): RouteHandler<typeof messagesApi.unread> =>
  async ({ params, query }) => ({
    items: await store.listUnread(db, songIdOf(params), query.from),
  })

export const writeMessage =
  (db: Database, clock: Clock, terms: Terms): RouteHandler<typeof messagesApi.write> =>
  ({ params, body: { from, text } }) =>
    db.transaction(async (tx) => {
      const [songId, id] = [songIdOf(params), params['messageId'] ?? '']
      const locked = await lockSongs(tx, [songId])
      const song = locked.get(songId)
      if (!song || !isId(id)) throw new AppError('song_not_found')
      const known = await store.findMessage(tx, songId, id)
      if (known) return known
      const now = await clock.databaseNow(tx)
      const after = withMessage(song, { from, at: now, terms })
      const message = await store.insertMessage(tx, songId, { id, from, text, at: now })
      const { uid, messages } = after
      const change = { id: songId, change: () => after }
      await changeSongs(tx, now, [change], locked)
      tx.emit(MessageWritten, { songId, uid, from, at: message.at, unread: messages[from].unread })
      return message
    })

export const readMessages =
  (db: Database, clock: Clock): RouteHandler<typeof messagesApi.read> =>
  ({ params, body: { by, before } }) =>
    db.transaction(async (tx) => {
      const songId = songIdOf(params)
      const from = by === 'owner' ? 'studio' : 'owner'
      const locked = await lockSongs(tx, [songId])
      const song = locked.get(songId)
      if (!song) throw new AppError('song_not_found')
      const now = await clock.databaseNow(tx)
      const read = await store.markRead(tx, songId, { from, before, now })
      const after = withMessagesRead(song, from, read.length)
      if (after === song) return {}
      await changeSongs(tx, now, [{ id: songId, change: () => after }], locked)
      if (by === 'owner' && after.messages.studio.unread === 0)
        tx.emit(MessagesRead, { songId, uid: song.uid, at: Math.max(...read) })
      return {}
    })
