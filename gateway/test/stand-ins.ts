import { requestedSong } from '@prelude/platform/testing'
import type { Account, Draft, PaymentRecord, PlacedObject, Song } from '@prelude/contracts'
import { AppError, newId } from '@prelude/platform'
import type { FastifyInstance } from 'fastify'

/** Small services that answer as the real ones would, and record the requests. */
export function songsStub() {
  const songs = new Map<string, Song>()
  const seen: string[] = []
  const promise = { isDown: false }
  /** How the next fulfilments end: with an error, and unless it is a refusal or lost, all the same as asked. */
  const fulfilling: { error: AppError | null; isLost: boolean } = { error: null, isLost: false }
  const found = (request: { params: unknown }): Song => {
    const song = songs.get((request.params as { id: string }).id)
    if (!song) throw new AppError('song_not_found')
    return song
  }
  const change = (song: Song, news: Partial<Song>): Song => {
    const next = { ...song, ...news, revision: song.revision + 1 }
    songs.set(song.id, next)
    return next
  }
  const routes = (app: FastifyInstance): void => {
    app.addHook('onRequest', async ({ method, url }) => void seen.push(`${method} ${url.split('?')[0]}`))
    app.get('/promise', async () => {
      if (promise.isDown) throw new AppError('unavailable')
      return { readyBy: 1 }
    })
    app.put('/songs/:id', async (request) => {
      const { id } = request.params as { id: string }
      const song = songs.get(id) ?? songOf({ ...(request.body as object), id })
      songs.set(id, song)
      return song
    })
    app.get('/songs', async (request) => {
      const { uid } = request.query as { uid?: string }
      const items = [...songs.values()].filter((song) => uid === undefined || song.uid === uid)
      return { items, nextCursor: null }
    })
    app.get('/shares', async () => ({ items: [], nextCursor: null }))
    app.post('/songs/by-ids', async ({ body }) => ({
      items: (body as { ids: string[] }).ids.flatMap((id) => songs.get(id) ?? []),
    }))
    app.get('/songs/:id', async (request) => found(request))
    app.get('/songs/:id/messages', async () => ({ items: [], nextCursor: null }))
    app.get('/songs/:id/fulfillable', async (request) => {
      const song = found(request)
      if (song.status === 'ready') throw new AppError('song_already_ready')
      if (song.charge === 'deciding') throw new AppError('charge_pending')
      return song
    })
    app.post('/songs/:id/fulfil', async (request) => {
      const { version1, version2 } = request.body as Record<'version1' | 'version2', PlacedObject>
      const isTaken = fulfilling.error?.kind !== 'conflict' && !fulfilling.isLost
      const song = isTaken
        ? change(found(request), {
            storagePath1: version1.path,
            storagePath2: version2.path,
            status: 'ready',
            downloadUrl1: '/1',
            downloadUrl2: '/2',
            updatedAt: 2,
          })
        : found(request)
      if (fulfilling.error) throw fulfilling.error
      return song
    })
    app.put('/songs/:id/made', async (request) => {
      const { made } = request.body as Pick<Song, 'made'>
      return change(found(request), { made: { 1: null, 2: null, ...made } })
    })
    app.post('/songs/:id/decline', async (request) => change(found(request), { status: 'declined' }))
    app.post('/songs/:id/refund', async (request) => {
      const song = found(request)
      if (song.charge === 'deciding') throw new AppError('charge_pending')
      return change(song, { charge: 'refunded', charged: false })
    })
  }
  return { songs, seen, promise, fulfilling, routes }
}

export const songOf = (given: Partial<Song>): Song =>
  requestedSong({ id: '', uid: '', username: 'Anonymous', email: '', createdAt: 1, ...given })

export const draftOf = (given: Partial<Draft>): Draft => ({
  id: newId(),
  songId: '',
  n: 1,
  revision: 1,
  state: 'waiting',
  seed: null,
  durationMs: null,
  with: null,
  error: null,
  uploadId: null,
  expectedAt: null,
  createdAt: 1,
  readyAt: null,
  ...given,
})

export const paymentOf = (given: Partial<PaymentRecord>): PaymentRecord => ({
  id: '',
  uid: '',
  method: 'card',
  amountCents: 2500,
  currency: 'usd',
  creditsCents: 2500,
  status: 'open',
  refundedCents: 0,
  url: null,
  receiptUrl: null,
  revision: 1,
  createdAt: 1,
  ...given,
})

export function creditsStub() {
  const adjusted = new Map<string, number>()
  const debts: Account[] = []
  const routes = (app: FastifyInstance): void => {
    app.get('/accounts/:uid', async () => ({ uid: 'x', balanceCents: 2550, debtCents: 0, version: 3 }))
    app.post('/accounts/batch', async (request) => ({
      items: (request.body as { uids: string[] }).uids.map((uid) => ({
        uid,
        balanceCents: 1,
        debtCents: 2,
        version: 1,
      })),
    }))
    app.get('/debts', async () => ({ items: debts, nextCursor: null }))
    app.put('/adjustments/:id', async (request) => {
      const { id } = request.params as { id: string }
      const { uid, amountCents } = request.body as { uid: string; amountCents: number }
      adjusted.set(id, amountCents)
      return {
        uid,
        balanceCents: [...adjusted.values()].reduce((sum, one) => sum + one, 0),
        debtCents: 0,
        version: 1,
      }
    })
    app.get('/accounts/:uid/entries', async (request) => {
      const { cursor } = request.query as { cursor?: string }
      const entry = { balanceAfterCents: 2550, owedCents: 0, reason: 'top_up', createdAt: 0 }
      return cursor === undefined
        ? { items: [{ ...entry, id: '=1', amountCents: -1050, reference: null }], nextCursor: 'next' }
        : { items: [{ ...entry, id: 'b', amountCents: 2500, reference: 'p,1' }], nextCursor: null }
    })
  }
  return { adjusted, debts, routes }
}
