import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Side, Song, SongMessage } from '@prelude/contracts'
import { call } from './client.ts'
import { OPERATOR } from './me.ts'
import { allItems } from './pages.ts'
import { applyEvent } from './query-client.ts'

/** What owner and operator write to each other about a song; `side` is that of the person who reads. */

const keyOf = (songId: string, side: Side) =>
  side === 'studio' ? [OPERATOR, 'messages', songId] : ['messages', songId]

/** All messages, oldest first. Each message, and each reading, raises the revision of the song. */
export const useMessages = ({ id, revision }: Pick<Song, 'id' | 'revision'>, side: Side) =>
  useQuery({
    queryKey: [...keyOf(id, side), revision],
    queryFn: async ({ signal }) =>
      (
        await allItems((query) => call('GET /api/songs/:id/messages', { params: { id }, query, signal }))
      ).toReversed(),
    placeholderData: keepPreviousData,
  })

/** The same key when it is sent again: then it is one message. */
export async function sendMessage(
  songId: string,
  side: Side,
  { text, idempotencyKey }: { text: string; idempotencyKey: string },
): Promise<void> {
  const route = side === 'studio' ? 'POST /api/operator/songs/:id/messages' : 'POST /api/songs/:id/messages'
  const sent = await call(route, { params: { id: songId }, body: { text }, idempotencyKey })
  applyEvent<readonly SongMessage[]>({ queryKey: keyOf(songId, side) }, (all) =>
    all.some(({ id }) => id === sent.id) ? all : [...all, sent],
  )
}

/** Marks the other side's messages up to this time as read; the live stream then sends the changed song. */
export const readMessages = (songId: string, side: Side, before: number): Promise<void> =>
  call(
    side === 'studio' ? 'POST /api/operator/songs/:id/messages/read' : 'POST /api/songs/:id/messages/read',
    { params: { id: songId }, body: { before } },
  )
