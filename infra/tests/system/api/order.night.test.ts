import { randomUUID } from 'node:crypto'
import type { Song } from '@prelude/contracts'
import { eventually } from '@prelude/platform/eventually'
import { beforeAll, expect, test } from 'vitest'
import { FLAC, fulfil, MP3 } from '../../support/audio-files.ts'
import {
  expectRefusal,
  giveCredits,
  mail,
  productOfFile,
  requestSong,
  settled,
  type Somebody,
  somebody,
  unlockedOperator,
} from '../../support/callers.ts'
import { mailsTo } from '../../support/mailbox.ts'
import { balanceIs } from '../../support/checkout.ts'
import { readZip } from './read-zip.ts'

/** A song between its request and its acceptance, from outside. */

const DAY = 24 * 60 * 60_000
const product = productOfFile()
let operator: Somebody
beforeAll(async () => void (operator = await unlockedOperator(product())))

async function paid(): Promise<{ owner: Somebody; song: Song }> {
  const owner = await somebody(product())
  await giveCredits(operator, owner.uid, 10)
  const song = await requestSong(owner)
  expect(song.charge).toBe('charged')
  return { owner, song }
}
const statesOf = ({ timeline }: Song): string[] => timeline.map(({ state }) => state)

test('a charged song has a promise, is corrected, cancelled once, and its credits are back', async () => {
  const { owner, song } = await paid()
  expect((song.promisedAt ?? 0) - song.createdAt).toBeGreaterThanOrEqual(DAY)
  const path = `/api/songs/${song.id}`
  const fixed = await owner.call<Song>('PATCH', path, { json: { lyrics: 'other words', title: ' Rain ' } })
  expect(fixed.body).toMatchObject({ lyrics: 'other words', style: song.style, title: ' Rain ' })
  expectRefusal(await owner.call('PATCH', path, { json: { style: ' ' } }), 400, 'lyrics_and_style_required')
  expectRefusal(await (await somebody(product())).call('POST', `${path}/cancel`), 404, 'song_not_found')
  const keyed = { headers: { 'idempotency-key': 'cancel-1' } }
  const { status, body } = await owner.call<Song>('POST', `${path}/cancel`, keyed)
  expect([status, body.status, body.charge, body.closedReason]).toEqual([200, 'cancelled', 'refunded', null])
  expect(statesOf(body)).toEqual(['requested', 'paid', 'cancelled', 'refunded'])
  await balanceIs(owner, 10)
  const repeated = await owner.call<Song>('POST', `${path}/cancel`, keyed)
  expect([repeated.status, repeated.headers['idempotency-replayed'], repeated.body]).toEqual([
    200,
    'true',
    body,
  ])
  expectRefusal(await owner.call('POST', `${path}/cancel`), 409, 'song_closed')
  expect((await mail(product(), owner.email, /credits are back/)).text).toContain('You cancelled')
  const closed = await owner.call<{ items: Song[] }>('GET', '/api/songs?status=closed')
  expect(closed.body.items.map(({ id }) => id)).toEqual([song.id])
})

test('the studio: started songs stay, the reason is shown with declined ones', async () => {
  const { owner, song } = await paid()
  const desk = `/api/operator/songs/${song.id}`
  for (const _ of [1, 2]) expect((await operator.call('POST', `${desk}/start`)).status).toBe(204)
  expectRefusal(await owner.call('POST', `/api/songs/${song.id}/cancel`), 409, 'song_started')
  expect((await operator.call('POST', `${desk}/release`)).status).toBe(204)
  const noted = await operator.call<Song>('PUT', `${desk}/note`, { json: { text: 'horns' } })
  expect(noted.body.note).toBe('horns')
  const long = await operator.call('PUT', `${desk}/note`, { json: { text: 'x'.repeat(2001) } })
  expect(long.body).toMatchObject({ code: 'invalid_request', errors: [{ path: 'text' }] })
  expect((await owner.call<Song>('GET', `/api/songs/${song.id}`)).body).not.toHaveProperty('note')
  expectRefusal(await operator.call('POST', `${desk}/decline`, { json: {} }), 400, 'invalid_request')
  const { body } = await operator.call<Song>('POST', `${desk}/decline`, {
    json: { reason: 'Which language?' },
  })
  expect(body).toMatchObject({ status: 'declined', charge: 'refunded', closedReason: 'Which language?' })
  await balanceIs(owner, 10)
  expect((await mail(product(), owner.email, /credits are back/)).text).toContain('Which language?')
  expectRefusal(await operator.call('POST', `${desk}/start`), 409, 'song_closed')
  await settled(product())
  expect((await mailsTo(product(), owner.email)).filter(({ subject }) => /back/.test(subject))).toHaveLength(
    1,
  )
})

test('a request that waits for credits is cancelled for good: a later top-up does not pay it', async () => {
  const owner = await somebody(product())
  const song = await requestSong(owner)
  const { body } = await owner.call<Song>('POST', `/api/songs/${song.id}/cancel`)
  expect(body).toMatchObject({ status: 'cancelled', charge: 'declined', promisedAt: null })
  await settled(product())
  await giveCredits(operator, owner.uid, 10)
  await settled(product())
  await balanceIs(owner, 10)
})

test('changes: asked with notes, delivered as a take, both takes play, then accepted', async () => {
  const { owner, song } = await paid()
  const path = `/api/songs/${song.id}`
  expectRefusal(await owner.call('POST', `${path}/accept`), 409, 'song_not_ready')
  expect((await fulfil(operator, song.id)).status).toBe(200)
  const notes = [
    { version: 1, atMs: 500.5, text: 'louder' },
    { version: 2, text: 'another ending' },
  ]
  const ask = (json: unknown) => owner.call<Song>('POST', `${path}/changes`, { json })
  expectRefusal(await ask({ notes: [] }), 400, 'invalid_request')
  const late = await ask({ notes: [{ version: 1, atMs: 9_999_999, text: 'x' }] })
  expectRefusal(late, 400, 'invalid_request')
  expect(late.body).toMatchObject({ errors: [{ path: 'notes.0.atMs' }] })
  expectRefusal(await ask({ notes: [{ version: 1, text: 'x'.repeat(501) }] }), 400, 'invalid_request')
  expect((await ask({ notes })).body.changes).toMatchObject({
    state: 'asked',
    notes: [notes[0], { atMs: null }],
  })
  expect((await mail(product(), product().endpoints.operator.email, /Changes asked/)).text).toContain(
    'louder',
  )
  expectRefusal(await owner.call('POST', `${path}/accept`), 409, 'changes_asked')

  const desk = `/api/operator/songs/${song.id}/changes`
  expectRefusal(await operator.call('POST', desk, { raw: new FormData() }), 400, 'version_required')
  const form = new FormData()
  form.set('version2', new Blob([Uint8Array.from(MP3)]), 'again.mp3')
  const { status, body } = await operator.call<Song>('POST', desk, { raw: form })
  expect([status, body.takes, body.changes?.state]).toEqual([200, { 1: 1, 2: 2 }, 'delivered'])
  expectRefusal(await operator.call('POST', desk, { raw: form }), 409, 'changes_not_asked')
  await mail(product(), owner.email, /changes are ready/)
  const audio = (query: string) => owner.call('GET', `${path}/versions/2${query}`)
  await eventually(async () => expect((await audio('')).bytes.equals(MP3)).toBe(true))
  const first = await audio('?take=1')
  expect([first.status, first.bytes.length, first.headers['content-type']]).toEqual([
    200,
    FLAC.length,
    'audio/flac',
  ])
  expectRefusal(await audio('?take=3'), 404, 'song_not_found')
  for (const _ of [1, 2]) expect((await owner.call('POST', `${path}/accept`)).status).toBe(200)
  expectRefusal(await ask({ notes }), 409, 'changes_closed')

  const files = readZip((await owner.call('GET', '/api/account/export')).bytes)
  const named = (end: string) => [...files].find(([name]) => name.endsWith(end))?.[1]
  expect(named('/version-2-take-1.flac')?.equals(FLAC)).toBe(true)
  expect(named('/version-2.mp3')?.equals(MP3)).toBe(true)
  expect([...files.keys()].filter((name) => name.includes('/version-'))).toHaveLength(3)
})

test('the credits of a delivered song come back, and it stays playable', async () => {
  const { owner, song } = await paid()
  await fulfil(operator, song.id)
  const refund = (json: unknown) =>
    operator.call<Song>('POST', `/api/operator/songs/${song.id}/refund`, { json })
  expectRefusal(await refund({ reason: 'too quiet' }), 409, 'song_already_ready')
  expect((await refund({ reason: 'too quiet', delivered: true })).body).toMatchObject({
    status: 'ready',
    charge: 'refunded',
  })
  await balanceIs(owner, 10)
  expect((await owner.call('GET', `/api/songs/${song.id}/versions/1`)).status).toBe(200)
})

test('nobody else and no operator changes the song of a person by the routes of its owner', async () => {
  const { song } = await paid()
  for (const act of ['cancel', 'accept', 'changes'])
    expectRefusal(
      await operator.call('POST', `/api/songs/${song.id}/${act}`, {
        json: { notes: [{ version: 1, text: 'x' }] },
      }),
      404,
      'song_not_found',
    )
  expectRefusal(
    await operator.call('PATCH', `/api/songs/${randomUUID()}`, { json: {} }),
    404,
    'song_not_found',
  )
})

test('the desk lists the songs of a stage by their promise, and those of one person', async () => {
  const [first, second] = [await paid(), await paid()]
  const list = async (query: string): Promise<string[]> => {
    const { body } = await operator.call<{ items: Song[] }>('GET', `/api/operator/songs?limit=100&${query}`)
    return body.items.map(({ id }) => id)
  }
  const both = [first.song.id, second.song.id]
  const ours = async (stage: string) => (await list(`stage=${stage}`)).filter((id) => both.includes(id))
  expect(await ours('todo')).toEqual(both)
  expect((await operator.call('POST', `/api/operator/songs/${both[0]}/start`)).status).toBe(204)
  expect([await ours('todo'), await ours('studio')]).toEqual([[both[1]], [both[0]]])
  expect(await list(`uid=${first.owner.uid}`)).toEqual([both[0]])
  expectRefusal(await operator.call('GET', '/api/operator/songs?stage=x'), 400, 'invalid_request')
  expectRefusal(await first.owner.call('GET', '/api/operator/songs?stage=todo'), 403, 'operator_only')
})
