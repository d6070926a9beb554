import { expect, test } from 'vitest'
import { type Song, songsApi, type Stage } from '@prelude/contracts'
import { placedObject } from '@prelude/platform/testing'
import { charge, decline, fulfil, request, type Songs, startSongs } from './start-songs.ts'

/** The lists of the operator's desk. */

async function charged(songs: Songs, style: string, promisedAt: number): Promise<string> {
  const songId = await request(songs, { style })
  await charge(songs, songId)
  await songs.admin.query('update song set promised_at = $2 where id = $1', [songId, promisedAt])
  return songId
}
async function delivered(songs: Songs, style: string): Promise<string> {
  const id = await charged(songs, style, 1)
  await fulfil(songs, id)
  return id
}
const ask = (songs: Songs, id: string): Promise<Song> =>
  songs
    .api(songsApi)
    .askChanges({ params: { id }, body: { notes: [{ version: 1, atMs: null, text: 'louder' }] } })

/** The styles of all pages of a stage, two a page. */
async function listed(songs: Songs, stage: Stage): Promise<string[]> {
  const { list } = songs.api(songsApi)
  const styles: string[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: { items: Song[]; nextCursor: string | null } = await list({
      query: { stage, limit: 2, ...(cursor !== '' && { cursor }) },
    })
    styles.push(...page.items.map(({ style }) => style))
    cursor = page.nextCursor
  }
  return styles
}

test('what is to do comes by its promise, without waiting, started, delivered and closed songs', async () => {
  await using songs = await startSongs()
  const { start, cancel } = songs.api(songsApi)
  await request(songs, { style: 'not charged' })
  await charged(songs, 'third', 3000)
  await charged(songs, 'first', 1000)
  await charged(songs, 'second', 2000)
  await charged(songs, 'as promised as the third, asked later', 3000)
  await start({ params: { id: await charged(songs, 'started', 500) }, body: { gift: false } })
  await cancel({ params: { id: await charged(songs, 'cancelled', 500) } })
  await delivered(songs, 'delivered')
  expect(await listed(songs, 'todo')).toEqual([
    'first',
    'second',
    'third',
    'as promised as the third, asked later',
  ])
  expect(await listed(songs, 'studio')).toEqual(['started'])
  expect(await listed(songs, 'delivered')).toEqual(['delivered'])
  const { list } = songs.api(songsApi)
  const count = async (q?: string) =>
    (await list({ query: { stage: 'late', limit: 1, counts: true, ...(q && { q }) } })).counts
  expect(await count()).toEqual({ todo: 4, studio: 1, changes: 0, late: 0, delivered: 1 })
  expect(await count('THIRD')).toEqual({ todo: 2, studio: 0, changes: 0, late: 0, delivered: 0 })
})

test('what is not paid for comes after every promise, the oldest request first, until it is declined or begun as a gift', async () => {
  await using songs = await startSongs()
  const { start, decline: declineRequest, refund } = songs.api(songsApi)
  const waiting = async (style: string): Promise<string> => {
    const songId = await request(songs, { style })
    await decline(songs, songId)
    return songId
  }
  const refunded = await charged(songs, 'refunded', 1000)
  const first = await waiting('waits longest')
  const second = await waiting('waits')
  await waiting('waits too')
  await charged(songs, 'promised late', songs.clock.now() + 3_000_000_000)
  await charged(songs, 'promised', 2000)
  await start({ params: { id: refunded }, body: { gift: false } })
  await refund({ params: { id: refunded }, body: { reason: 'no singer', delivered: false } })
  expect(await listed(songs, 'todo')).toEqual([
    'promised',
    'promised late',
    'refunded',
    'waits longest',
    'waits',
    'waits too',
  ])
  await declineRequest({ params: { id: first }, body: { reason: 'no' } })
  await start({ params: { id: second }, body: { gift: true } })
  expect(await listed(songs, 'todo')).toEqual(['promised', 'promised late', 'refunded', 'waits too'])
  expect(await listed(songs, 'studio')).toEqual(['waits'])
})

test('late songs are those whose promise passed and was noticed, until they are delivered', async () => {
  await using songs = await startSongs()
  await charged(songs, 'in time', songs.clock.now() + 24 * 3_600_000)
  const late = await charged(songs, 'late', 1000)
  expect(await listed(songs, 'late')).toEqual([])
  await songs.service.jobs
    ?.find(({ name }) => name === 'mark-late-and-accepted')
    ?.run(new AbortController().signal)
  expect(await listed(songs, 'late')).toEqual(['late'])
  // it is not taken from where it lies
  expect(await listed(songs, 'todo')).toEqual(['late', 'in time'])
  await fulfil(songs, late)
  expect(await listed(songs, 'late')).toEqual([])
})

test('changes come by the time they were asked for, deliveries newest first', async () => {
  await using songs = await startSongs()
  const ids = []
  for (const style of ['a', 'b', 'c']) ids.push(await delivered(songs, style))
  for (const [i, id] of ids.entries())
    await songs.admin.query('update song set delivered_at = delivered_at + $2 where id = $1', [id, i])
  expect(await listed(songs, 'delivered')).toEqual(['c', 'b', 'a'])
  const [a = '', b = '', c = ''] = ids
  for (const id of [c, a, b]) await ask(songs, id)
  for (const [i, id] of [c, a, b].entries())
    await songs.admin.query(
      `update song set changes = jsonb_set(changes, '{askedAt}', $2::text::jsonb) where id = $1`,
      [id, String(1000 + i)],
    )
  expect(await listed(songs, 'changes')).toEqual(['c', 'a', 'b'])
  await songs.api(songsApi).deliverChanges({
    params: { id: a },
    body: { objects: [{ version: 1, object: placedObject('again') }] },
  })
  expect(await listed(songs, 'changes')).toEqual(['c', 'b'])
})
