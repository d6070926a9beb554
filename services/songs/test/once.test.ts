import { expect, test } from 'vitest'
import { type Song, songsApi } from '@prelude/contracts'
import { newId } from '@prelude/platform'
import { brokenRules, charge, fulfil, request, type Songs, startSongs } from './start-songs.ts'

/** A call whose answer was lost is repeated under its id. */

interface Call {
  readonly params: { readonly id: string }
  readonly query: { readonly callId?: string }
}
const reason = 'no singer'
const notes = [{ version: 1 as const, text: 'louder' }]
const ACTS = [
  { act: 'cancel', event: 'SongClosed', refusal: 'song_closed' },
  { act: 'decline', event: 'SongClosed', refusal: 'song_closed' },
  { act: 'refund', event: 'SongClosed', refusal: 'song_not_charged' },
  { act: 'askChanges', event: 'ChangesAsked', refusal: 'changes_used' },
] as const

const callerOf = (songs: Songs, act: (typeof ACTS)[number]['act']) => {
  const api = songs.api(songsApi)
  const calls: Record<typeof act, (call: Call) => Promise<Song>> = {
    cancel: (call) => api.cancel(call),
    decline: (call) => api.decline({ ...call, body: { reason } }),
    refund: (call) => api.refund({ ...call, body: { reason, delivered: false } }),
    askChanges: (call) => api.askChanges({ ...call, body: { notes } }),
  }
  return (id: string, callId?: string): Promise<Song> =>
    calls[act]({ params: { id }, query: callId === undefined ? {} : { callId } })
}

test.for(ACTS)(
  '$act repeated under the id of its call answers as the first time, and happens once',
  async ({ act, event, refusal }) => {
    await using songs = await startSongs()
    const call = callerOf(songs, act)
    const id = await request(songs)
    await charge(songs, id)
    if (act === 'askChanges') await fulfil(songs, id)
    const callId = newId()
    const [first, ...others] = await Promise.all([1, 2, 3].map(() => call(id, callId)))
    for (const answer of [...others, await call(id, callId)]) expect(answer).toEqual(first)
    const events = (await songs.emitted()).filter(({ type }) => type === event)
    expect(events).toHaveLength(1)
    for (const another of [undefined, newId()])
      await expect(call(id, another)).rejects.toMatchObject({ code: refusal })
    expect(await brokenRules(songs)).toEqual([])
  },
)

test('a repeat answers the song as it is meanwhile, and a call that was refused may be repeated', async () => {
  await using songs = await startSongs()
  const id = await request(songs)
  const [refund, cancel] = [callerOf(songs, 'refund'), callerOf(songs, 'cancel')]
  const callId = newId()
  await expect(refund(id, callId)).rejects.toMatchObject({ code: 'charge_pending' })
  await charge(songs, id)
  expect(await refund(id, callId)).toMatchObject({ status: 'pending', charge: 'refunded' })
  const closed = await cancel(id, newId())
  expect(closed).toMatchObject({ status: 'cancelled' })
  expect(await refund(id, callId)).toEqual(closed)
})
