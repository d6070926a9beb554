import {
  AccountClosed,
  ChangesDelivered,
  CreditsCharged,
  CreditsRefunded,
  NoticeAdded,
  noticesApi,
  SongClosed,
  SongFulfilled,
  SongLate,
  TakeReplaced,
  TransferSettled,
} from '@prelude/contracts'
import { newId } from '@prelude/platform'
import { expect, test } from 'vitest'
import { startNotifier } from './start-notifier.ts'

/** What the bell of the web app lists. */

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

const ACCOUNT = { uid: 'u1', balance: 0, version: 1 }
const song = { songId: 's1', uid: 'u1' }

type Notifier = Awaited<ReturnType<typeof startNotifier>>
const listOf = async (notifier: Notifier, uid = 'u1', query = {}) =>
  notifier.api(noticesApi).list({ params: { uid }, query })

test('each event that concerns a person adds one notice of its kind, which is announced', async () => {
  await using notifier = await startNotifier()
  for (let times = 0; times < 2; times++) {
    await notifier.deliver(CreditsCharged, { ...ACCOUNT, songId: 's1', amount: 1000, waited: true })
    // shown at once where it was asked for
    await notifier.deliver(CreditsCharged, { ...ACCOUNT, songId: 's2', amount: 1000, waited: false })
    await notifier.deliver(SongLate, song)
    await notifier.deliver(SongFulfilled, { ...song, gift: false })
    await notifier.deliver(SongClosed, { ...song, songId: 's3', reason: 'declined' })
    await notifier.deliver(SongClosed, { ...song, songId: 's4', reason: 'cancelled' })
    await notifier.deliver(CreditsRefunded, { ...ACCOUNT, songId: 's4', amount: 1000, closed: 'cancelled' })
    await notifier.deliver(CreditsRefunded, { ...ACCOUNT, songId: 's5', amount: 1000 })
    await notifier.deliver(TransferSettled, { transferId: 'p1', uid: 'u1', outcome: 'rejected' })
  }
  await notifier.deliver(SongLate, { songId: 's1', uid: 'u2' })
  const { items } = await listOf(notifier)
  expect(items.map(({ kind, songId }) => `${kind} ${songId}`).toSorted()).toEqual([
    'charged s1',
    'credits_back s5',
    'declined s3',
    'late s1',
    'ready s1',
    'transfer_settled null',
  ])
  expect(items.every(({ readAt }) => readAt === null)).toBe(true)
  const announced = (await notifier.emitted()).filter(({ key }) => key === 'u1')
  expect(announced.map(({ type }) => type)).toEqual(items.map(() => NoticeAdded.type))
  expect(announced.map(({ data }) => data)).toEqual(
    expect.arrayContaining(
      items.map(({ id, kind, songId, at }) => ({ noticeId: id, uid: 'u1', kind, songId, at })),
    ),
  )
})

test('a decline is one notice, whichever comes first: it or the credits that come back with it', async () => {
  await using notifier = await startNotifier()
  const decline = (songId: string) =>
    notifier.deliver(SongClosed, { ...song, songId, reason: 'declined', free: false })
  const refund = (songId: string) =>
    notifier.deliver(CreditsRefunded, { ...ACCOUNT, songId, amount: 1000, closed: 'declined' })
  await decline('s1')
  await refund('s1')
  await refund('s2')
  await decline('s2')
  const { items } = await listOf(notifier)
  expect(items.map(({ kind, songId }) => `${kind} ${songId}`).toSorted()).toEqual([
    'declined s1',
    'declined s2',
  ])
})

test('each round of changes is a notice and a mail of its own, however often its event comes', async () => {
  await using notifier = await startNotifier()
  for (const id of ['e1', 'e2', 'e1'].map((one) => `0198f5a0-0000-7000-8000-0000000000${one}`))
    await notifier.deliver(ChangesDelivered, song, { id })
  expect((await listOf(notifier)).items.map(({ kind }) => kind)).toEqual([
    'changes_delivered',
    'changes_delivered',
  ])
  await notifier.run('send-due-messages')
  expect(notifier.sent.map(({ subject }) => subject)).toEqual([
    expect.stringMatching(/^Your changes are ready: “.+”$/),
    expect.stringMatching(/^Your changes are ready: “.+”$/),
  ])
})

test('each replaced file is a notice; the first of an hour, and one after it, is a mail', async () => {
  await using notifier = await startNotifier()
  const replace = async (songId: string, n: number): Promise<void> => {
    const id = `0198f5a0-0000-7000-8000-00000000000${n}`
    for (let times = 0; times < 2; times++)
      await notifier.deliver(TakeReplaced, { songId, uid: 'u1' }, { id })
  }
  const later = async (): Promise<number> => {
    await notifier.run('send-due-messages')
    return notifier.sent.splice(0).length
  }
  await replace('s1', 1)
  await replace('s1', 2)
  await replace('s2', 3)
  expect(await later()).toBe(2)
  notifier.clock.pass(HOUR_MS - MINUTE_MS)
  await replace('s1', 4)
  expect(await later()).toBe(0)
  notifier.clock.pass(MINUTE_MS)
  await replace('s1', 5)
  expect(await later()).toBe(1)
  const { items } = await listOf(notifier)
  expect(items.map(({ kind, songId }) => `${kind} ${songId}`).toSorted()).toEqual([
    ...Array.from({ length: 4 }, () => 'replaced s1'),
    'replaced s2',
  ])
})

test('notices are listed by the time of their cause, page by page, and marked as read up to a time', async () => {
  await using notifier = await startNotifier()
  const ids = ['a', 'b', 'c', 'd']
  for (const [at, songId] of ids.entries())
    await notifier.deliver(SongLate, { songId, uid: 'u1' }, { at: 1_000 + Math.floor(at / 2) })
  await notifier.deliver(SongLate, { songId: 'a', uid: 'u1' }, { at: 5_000 })
  const first = await listOf(notifier, 'u1', { limit: 3 })
  const second = await listOf(notifier, 'u1', { limit: 3, cursor: first.nextCursor })
  const all = [...first.items, ...second.items]
  expect(all.map(({ at }) => at)).toEqual([1_001, 1_001, 1_000, 1_000])
  expect(new Set(all.map(({ songId }) => songId))).toEqual(new Set(ids))
  expect(second.nextCursor).toBeNull()
  await expect(listOf(notifier, 'u1', { cursor: 'garbage' })).rejects.toMatchObject({
    code: 'invalid_cursor',
  })

  const { read } = notifier.api(noticesApi)
  await read({ params: { uid: 'u2' }, body: { before: 9_000 } })
  await read({ params: { uid: 'u1' }, body: { before: 999 } })
  expect((await listOf(notifier)).items.map(({ readAt }) => readAt)).toEqual([null, null, null, null])
  await read({ params: { uid: 'u1' }, body: { before: 1_000 } })
  const read1 = (await listOf(notifier)).items.map(({ readAt }) => readAt)
  expect(read1).toEqual([null, null, expect.any(Number), expect.any(Number)])
  await read({ params: { uid: 'u1' }, body: { before: 1_001 } })
  const read2 = (await listOf(notifier)).items.map(({ readAt }) => readAt)
  // the time at which one was read first stays
  expect(read2.slice(2)).toEqual(read1.slice(2))
  expect(read2).not.toContain(null)
})

test('a closed account has no notices, and gets none', async () => {
  await using notifier = await startNotifier()
  await notifier.deliver(SongLate, song)
  await notifier.deliver(AccountClosed, { uid: 'u1' })
  await notifier.deliver(SongLate, { songId: newId(), uid: 'u1' })
  expect((await listOf(notifier)).items).toEqual([])
  expect((await notifier.admin.query('select from notice')).rowCount).toBe(0)
})
