import type { Message, Ops } from '@prelude/contracts'
import type { FastifyInstance } from 'fastify'
import { newId } from '@prelude/platform'
import { expect, test } from 'vitest'
import { songOf, songsStub } from './stand-ins.ts'
import { startGateway } from './start-gateway.ts'

const mail = (id: string, songId: string | null): Message => ({
  id,
  kind: 'song-ready',
  uid: null,
  songId,
  toOperator: false,
  state: 'failed',
  attempts: 1,
  createdAt: 5,
  sentAt: null,
  nextAt: null,
  lastError: null,
})

test('mails of the operations page name their songs, by one call, and are there without songs', async () => {
  const song = songOf({ id: newId(), title: 'Paper Boats' })
  const songs = songsStub()
  songs.songs.set(song.id, song)
  const items = [mail('m1', song.id), mail('m2', null), mail('m3', song.id)]
  const notifier = (app: FastifyInstance): void => {
    app.get('/messages', async () => ({ items, nextCursor: null }))
  }
  const titles = async (services: Parameters<typeof startGateway>[0]) => {
    await using gateway = await startGateway(services)
    const { mails } = (await (await (await gateway.operator()).get('/api/operator/ops')).json()) as Ops
    return mails?.map(({ title }) => title)
  }
  expect(await titles({ services: { notifier, songs: songs.routes } })).toEqual([
    'Paper Boats',
    null,
    'Paper Boats',
  ])
  expect(await titles({ services: { notifier } })).toEqual([null, null, null])
})
