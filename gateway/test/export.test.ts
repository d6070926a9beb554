import { Readable } from 'node:stream'
import type { Song, Take } from '@prelude/contracts'
import { AppError, newId } from '@prelude/platform'
import type { FastifyInstance } from 'fastify'
import { expect, test } from 'vitest'
import { creditsStub, songOf } from './stand-ins.ts'
import { ADA, startGateway, uidOf } from './start-gateway.ts'

/** What of songs is in the archive of an account. */

/** A link to the listed song. */
const SHARE = {
  ...{ id: 'share-1', songId: 'song-1', token: 'token-1', versions: [1], lyrics: false, download: true },
  ...{ expiresAt: null, plays: 3, createdAt: 0, endedAt: null },
}

const EARLIER = {
  ...{ state: 'delivered', askedAt: 1, deliveredAt: 2 },
  notes: [{ version: 1, atMs: null, text: 'softer drums' }],
}
const REPLACED = {
  ...{ id: newId(), issuedAt: 1, title: 'Rain', files: [] },
  ...{ valid: false, reason: 'replaced', replacedBy: newId() },
}
const MESSAGE = { id: newId(), from: 'studio', text: 'Ngozi or Ngozie?', at: 1, readAt: null }

const none = async () => ({ items: [], nextCursor: null })
const take = (version: 1 | 2, number: number): Take => ({
  version,
  take: number,
  objectId: newId(),
  path: `object-${version}.${number}.mp3`,
  contentType: 'audio/mpeg',
  sizeBytes: 1,
  sha256: 'a'.repeat(64),
  durationMs: 1_000,
  made: null,
})
const readyWith = (rest: Partial<Song>): Song =>
  songOf({
    uid: uidOf(ADA),
    status: 'ready',
    charge: 'charged',
    storagePath1: 'object-1.2.mp3',
    storagePath2: 'object-2.1.mp3',
    ...rest,
  })

/**
 * The archive of Ada, whose only song is `listed` in a page of songs and has become `now` by its turn. `gone`: the object of a take,
 * and the list of account.json, that cannot be read.
 */
async function archiveOf(
  listed: Song,
  now: Song,
  takes: readonly Take[],
  gone: { path?: string; list?: string } = {},
) {
  const drawn: string[] = []
  const songs = (app: FastifyInstance): void => {
    app.get('/songs', async () => ({ items: [listed], nextCursor: null }))
    app.get('/songs/:id', async () => now)
    app.get('/songs/:id/takes', async () => ({ takes }))
    app.get('/songs/:id/earlier-changes', async () => ({ items: [EARLIER] }))
    app.get('/songs/:id/messages', async () => ({ items: [MESSAGE], nextCursor: null }))
    app.get('/songs/:id/certificates', async () => ({ items: [REPLACED] }))
    app.get('/shares', async () => ({ items: [SHARE], nextCursor: null }))
    app.get('/people/:uid/songs', async () => ({ ready: 1, cooking: 0, waiting: 0 }))
    app.get('/certificates/:id', async (request) => {
      const { id } = request.params as { id: string }
      drawn.push(id)
      const valid = { valid: true, reason: null, replacedBy: null }
      return { id, issuedAt: 1, title: 'Rain', files: takes.slice(1), ...valid }
    })
  }
  const payments = (app: FastifyInstance): void => {
    app.get('/payments', async () => {
      if (gone.list === 'payments') throw new Error('it cannot be read')
      return none()
    })
    app.get('/people/:uid/under-way', async () => ({ count: 0 }))
  }
  const notifier = (app: FastifyInstance): void => {
    app.get('/messages', none)
    app.get('/people/:uid/notices', none)
    app.get('/people/:uid/push-subscriptions', none)
    const browser = { timeZone: 'Africa/Lagos' }
    app.get('/people/:uid/preferences', async () => ({ mail: {}, push: false, language: null, browser }))
  }
  const storage = (app: FastifyInstance): void => {
    app.get('/audio', async (request, reply) => {
      const { path } = request.query as { path: string }
      if (path === gone.path) throw new AppError('unavailable')
      return reply.type('audio/mpeg').send(Readable.from([`sound of ${path};`]))
    })
  }
  const services = { songs, payments, notifier, storage, credits: creditsStub().routes }
  await using gateway = await startGateway({ services })
  const ada = await gateway.signIn(ADA)
  const text = await (await ada.get('/api/account/export')).text()
  return { text, drawn }
}

test('the archive of an account holds every take, the newest without a number, and its links', async () => {
  const takes = [take(1, 1), take(1, 2), take(2, 1)]
  const song = readyWith({ id: newId(), lyrics: 'la la', style: 'folk', brief: { tempoBpm: 96 } })
  const { text } = await archiveOf(song, song, takes)
  for (const [name, held] of [
    ['lyrics.txt', 'la la'],
    ['style.txt', 'folk'],
    ['brief.txt', 'Tempo \\(BPM\\): 96'],
  ] as const)
    expect(text).toMatch(new RegExp(`/${name}[^/]*${held}`))
  for (const [name, sound] of [
    ['version-1-take-1', 'object-1.1.mp3'],
    ['version-1', 'object-1.2.mp3'],
    ['version-2', 'object-2.1.mp3'],
  ] as const)
    expect(text).toMatch(new RegExp(`/${name}\\.mp3[^/]*sound of ${sound};`))
  expect(text).toMatch(/"songId":\s*"song-1"[^}]*\/s\/token-1"/)
  expect(text).toMatch(
    new RegExp(
      `"earlierChanges":.*softer drums.*"certificates":.*"${REPLACED.id}".*"thread":.*Ngozi or Ngozie`,
    ),
  )
  for (const kept of ['statement.csv', '"timeZone": "Africa/Lagos"', '"missing": []'])
    expect(text).toContain(kept)
})

test('what cannot be read is named in the archive, which holds the rest', async () => {
  const song = readyWith({ id: newId(), certificate: { id: newId(), url: '/verify/x' } })
  const gone = { path: 'object-1.1.mp3', list: 'payments' }
  const { text } = await archiveOf(song, song, [take(1, 1), take(1, 2), take(2, 1)], gone)
  expect(text).not.toContain('sound of object-1.1.mp3')
  for (const held of ['sound of object-1.2.mp3', 'sound of object-2.1.mp3', '/licence.pdf', '"notices": ['])
    expect(text).toContain(held)
  expect(text).toMatch(/"missing": \["songs\/[^"]*\/version-1-take-1\.mp3","account\.json: payments"\]\n}/)
})

test('a recording that was replaced while other songs were packed is not in it, nor is its certificate', async () => {
  const id = newId()
  const [older, newer] = [newId(), newId()].map((one) => ({ id: one, url: `/verify/${one}` }))
  const before = readyWith({ id, storagePath1: 'object-1.1.mp3', certificate: older ?? null })
  const now = readyWith({ id, certificate: newer ?? null })
  const { text, drawn } = await archiveOf(before, now, [take(1, 2), take(2, 1)])
  expect(drawn).toEqual([newer?.id])
  expect(text).toContain('/licence.pdf')
  expect(text).toMatch(/\/version-1\.mp3[^/]*sound of object-1\.2\.mp3;/)
})
