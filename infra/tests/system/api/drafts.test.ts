import type { Draft, Song } from '@prelude/contracts'
import { eventually } from '@prelude/platform/eventually'
import { expect, test } from 'vitest'
import {
  expectRefusal,
  giveCredits,
  requestSong,
  sharedProduct,
  somebody,
  unlockedOperator,
} from '../../support/callers.ts'

/** Drafts of the stand-in for the music generator. */

const product = await sharedProduct()
const operator = await unlockedOperator(product)

test('drafts of a song are made, delivered as its versions, which say so, and stay; those of a cancelled song go', async () => {
  const ada = await somebody(product)
  await giveCredits(operator, ada.uid, 20)
  const [song, cancelled] = [await requestSong(ada), await requestSong(ada)]
  const all = (id: string): string => `/api/operator/songs/${id}/drafts`
  for (const { id } of [song, cancelled]) {
    const { status, body } = await operator.call<{ items: Draft[] }>('POST', all(id))
    expect([status, body.items.map(({ n, state }) => [n, state])]).toEqual([
      201,
      [
        [1, 'waiting'],
        [2, 'waiting'],
      ],
    ])
  }
  const listed = async (id: string): Promise<Draft[]> =>
    (await operator.call<{ items: Draft[] }>('GET', all(id))).body.items
  const drafts = await eventually(async () => {
    const found = await listed(song.id)
    expect(found.map(({ n, state }) => [n, state])).toEqual([
      [2, 'ready'],
      [1, 'ready'],
    ])
    return found
  })
  const [second, first] = drafts as [Draft, Draft]
  const json = { version1: first.uploadId, version2: second.uploadId, made: { 2: { how: 'assisted' } } }
  const fulfilled = await operator.call<Song>('POST', `/api/operator/songs/${song.id}/fulfil`, { json })
  expect([fulfilled.status, fulfilled.body.made]).toEqual([
    200,
    { 1: { how: 'ai', with: first.with }, 2: { how: 'assisted', with: null } },
  ])
  expect(first.with).toMatch(/ACE-Step/)
  expect(await listed(song.id)).toEqual(drafts)

  expect((await ada.call('POST', `/api/songs/${cancelled.id}/cancel`)).status).toBe(200)
  await eventually(async () => expect(await listed(cancelled.id)).toEqual([]))
  expectRefusal(await operator.call('POST', all(cancelled.id)), 409, 'song_closed')
})
