import type { Song } from '@prelude/contracts'
import { withOwnerConnection } from '@prelude/platform'
import { eventually } from '@prelude/platform/eventually'
import { expect, test } from 'vitest'
import { withDatabase } from '../../embedded/with-database.ts'
import { fulfil } from '../support/audio-files.ts'
import {
  expectRefusal,
  giveCredits,
  productOfFile,
  requestSong,
  settled,
  somebody,
  type Somebody,
  unlockedOperator,
} from '../support/callers.ts'
import { mailsTo } from '../support/mailbox.ts'

/** What time brings about, on a product whose clock is moved: a promise that passes, and acceptance by silence. */

const product = productOfFile({}, { clock: true })

const HOUR = 60 * 60_000
const DAY = 24 * HOUR

async function charged(operator: Somebody): Promise<{ owner: Somebody; song: Song }> {
  const owner = await somebody(product())
  await giveCredits(operator, owner.uid, 10)
  return { owner, song: await requestSong(owner) }
}
async function delivered(operator: Somebody): Promise<{ owner: Somebody; song: Song }> {
  const { owner, song } = await charged(operator)
  const { status, body } = await fulfil(operator, song.id)
  expect(status).toBe(200)
  return { owner, song: body }
}
const songOf = async ({ owner, song }: { owner: Somebody; song: Song }): Promise<Song> =>
  (await owner.call<Song>('GET', `/api/songs/${song.id}`)).body
const timesOf = ({ timeline }: Song, state: Song['timeline'][number]['state']): number =>
  timeline.filter((step) => step.state === state).length

/** How many events say that this song is late. */
const lateEvents = (songId: string): Promise<number | undefined> =>
  withDatabase({ dataDir: product().dataDir, adminUrl: undefined }, (adminUrl) =>
    withOwnerConnection(adminUrl, async (client) => {
      const { rows } = await client.query<{ events: number }>(
        `select count(*) as events from songs.event where type = 'SongLate' and data ->> 'songId' = $1`,
        [songId],
      )
      return rows[0]?.events
    }),
  )

/** Its owner sees once that it is late, and one event says so; answers how many mails do, once nothing is pending. */
async function lateMails(of: { owner: Somebody; song: Song }): Promise<number> {
  await eventually(async () => expect(timesOf(await songOf(of), 'late')).toBe(1))
  await settled(product())
  expect(await lateEvents(of.song.id)).toBe(1)
  return (await mailsTo(product(), of.owner.email)).filter(({ subject }) => /late/.test(subject)).length
}

test('a song whose promise passes is late, with one mail and one event', async () => {
  const late = await charged(await unlockedOperator(product()))
  await product().pass(DAY - HOUR)
  const inTime = await charged(await unlockedOperator(product()))
  await product().pass(2 * HOUR)
  expect(await lateMails(late)).toBe(1)
  expect(timesOf(await songOf(inTime), 'late')).toBe(0)
})

test('a song is accepted when the time for changes has passed in silence', async () => {
  const silent = await delivered(await unlockedOperator(product()))
  await product().pass(3 * DAY - HOUR)
  const recent = await delivered(await unlockedOperator(product()))
  await product().pass(2 * HOUR)
  await eventually(async () => expect(timesOf(await songOf(silent), 'accepted')).toBe(1))
  expect((await songOf(recent)).acceptedAt).toBeNull()
  const notes = [{ version: 1, text: 'louder' }]
  expectRefusal(
    await silent.owner.call('POST', `/api/songs/${silent.song.id}/changes`, { json: { notes } }),
    409,
    'changes_closed',
  )
})

test('what comes to pass while the product is killed and started again happens once all the same', async () => {
  const operator = await unlockedOperator(product())
  const [late, silent] = [await charged(operator), await delivered(operator)]
  await product().pass(3 * DAY + HOUR)
  await product().kill()
  await product().start()
  // a mail is sent twice where the kill comes between its sending and its mark
  expect([1, 2]).toContain(await lateMails(late))
  await eventually(async () => expect(timesOf(await songOf(silent), 'accepted')).toBe(1))
})
