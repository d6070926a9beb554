import {
  CreditsCharged,
  CreditsRefunded,
  notifierApi,
  PaymentSuspicious,
  type Song,
  SongClosed,
  SongLate,
} from '@prelude/contracts'
import type { Clock } from '@prelude/platform'
import { eventually } from '@prelude/platform/eventually'
import { testClock } from '@prelude/platform/testing'
import { expect, test } from 'vitest'
import { reserveBatch } from '../src/store/message.ts'
import { BRANDING, startNotifier } from './start-notifier.ts'
import type { Mail } from '../src/mail/port.ts'

/** Mails whose text depends on what songs has recorded by the time they are sent, and how fast mails are sent. */

const HOUR_MS = 60 * 60_000
const SONG = { songId: 's1', uid: 'u1' }
const POSTED = { ...SONG, amount: 1000, balance: 0, version: 1 }

test('a mail about a charged song waits until songs has recorded the charge, and names the promise', async () => {
  let song: Partial<Song> = { charge: 'declined' }
  await using notifier = await startNotifier({}, () => song)
  await notifier.deliver(CreditsCharged, { ...POSTED, waited: true })
  await notifier.run('send-due-messages')
  expect(notifier.sent).toEqual([])
  const { items } = await notifier.api(notifierApi).list({ query: {} })
  expect(items.map(({ kind, lastError }) => `${kind} ${lastError}`).toSorted()).toEqual([
    'song-cooking unavailable',
    'song-requested unavailable',
  ])
  song = { charge: 'charged', promisedAt: Date.UTC(2026, 10, 24, 14, 5) }
  notifier.clock.pass(HOUR_MS)
  await notifier.run('send-due-messages')
  // the operator's answer goes to the person
  expect(Object.fromEntries(notifier.sent.map(({ to, replyTo }) => [to, replyTo]))).toStrictEqual({
    'ada@example.com': undefined,
    [BRANDING.operatorEmail]: 'ada@example.com',
  })
  for (const { to, text, html, unsubscribeUrl } of notifier.sent) {
    expect(text).toContain('Ready by: Tuesday, November 24 at 14:05 UTC')
    // the customer's can be switched off
    const page = to === BRANDING.operatorEmail ? undefined : `${BRANDING.publicUrl}/preferences`
    expect(unsubscribeUrl).toBe(page)
    for (const part of [text, html]) expect(part.includes(page ?? '/preferences')).toBe(page !== undefined)
  }
})

test('the owner of a song is greeted as the gateway calls them now', async () => {
  await using notifier = await startNotifier({}, () => ({ username: 'Lovelace Augusta' }))
  await notifier.deliver(SongLate, SONG)
  await notifier.run('send-due-messages')
  expect(notifier.sent.map(({ text }) => text)).toEqual([expect.stringMatching(/^Hi Ada,/)])
})

test.for(['charged', 'refunded'] as const)(
  'a request that is cancelled before its mails are sent, and is %s by then, is neither announced nor said to be cooking or late',
  async (charge) => {
    await using notifier = await startNotifier({}, () => ({ status: 'cancelled', charge, closedAt: 1 }))
    await notifier.deliver(CreditsCharged, { ...POSTED, waited: true })
    await notifier.deliver(SongLate, SONG)
    await notifier.deliver(SongClosed, { ...SONG, reason: 'cancelled', free: false })
    await notifier.run('send-due-messages')
    expect(notifier.sent).toEqual([])
    expect((await notifier.api(notifierApi).list({ query: {} })).items).toEqual([])
  },
)

test('a mail that could not be sent for hours is dropped once the song is delivered', async () => {
  const sent: Mail[] = []
  let isUp = false
  const mailer = {
    send: async (mail: Mail) => {
      if (!isUp) throw new Error('down')
      sent.push(mail)
    },
    ping: async () => {},
    close: async () => {},
  }
  let song: Partial<Song> = { charge: 'charged' }
  await using notifier = await startNotifier({ mailer }, () => song)
  await notifier.deliver(CreditsCharged, { ...POSTED, waited: true })
  await notifier.deliver(SongLate, SONG)
  await notifier.run('send-due-messages')
  song = { ...song, status: 'ready' }
  isUp = true
  notifier.clock.pass(HOUR_MS)
  await notifier.run('send-due-messages')
  expect(sent.map(({ to }) => to)).toEqual([BRANDING.operatorEmail])
  const { items } = await notifier.api(notifierApi).list({ query: {} })
  expect(items.map(({ kind }) => kind)).toEqual(['song-requested'])
})

test('a decline is a mail of its own where the credits had come back before', async () => {
  let song: Partial<Song> = { charge: 'refunded' }
  await using notifier = await startNotifier({}, () => song)
  await notifier.deliver(CreditsRefunded, POSTED)
  await notifier.run('send-due-messages')
  song = { ...song, status: 'declined', closedReason: 'No singer for this.' }
  await notifier.deliver(SongClosed, { ...SONG, reason: 'declined', free: true })
  await notifier.run('send-due-messages')
  expect(notifier.sent.map(({ subject }) => subject)).toEqual([
    expect.stringMatching(/^10\.00 credits are back: “.+”$/),
    expect.stringMatching(/^We cannot make “.+”$/),
  ])
  expect(notifier.sent[1]?.text).toContain('No singer for this.')
})

test('a decline that gives the credits back is one mail, whichever event comes first', async () => {
  await using notifier = await startNotifier()
  const closed = (songId: string) =>
    notifier.deliver(SongClosed, { ...SONG, songId, reason: 'declined', free: false })
  await closed('s1')
  await notifier.deliver(CreditsRefunded, POSTED)
  await notifier.deliver(CreditsRefunded, { ...POSTED, songId: 's2' })
  await closed('s2')
  await notifier.run('send-due-messages')
  expect(notifier.sent).toHaveLength(2)
})

test.for([7, 100])('of 100 mails, %i of them due at once, 50 at most are sent in any second', async (due) => {
  // a clock whose time passes by waits alone: what is sent between two of them is sent at once
  let now = 0
  const clock = testClock()
  const begin = clock.now()
  const counting: Clock = {
    ...clock,
    now: () => begin + now,
    wait: async (ms, signal) => {
      // the renewal of leases ends with what it renews
      if (ms > 1_000) return clock.wait(ms, signal)
      now += ms
    },
  }
  const sentAt: number[] = []
  let queued = 0
  const queue = (): Promise<void> =>
    notifier.deliver(PaymentSuspicious, { paymentId: `p${queued++}`, uid: 'u1', reason: 'odd' })
  const mailer = {
    send: async () => {
      sentAt.push(now)
      if (queued < 100) await queue()
    },
    ping: async () => {},
    close: async () => {},
  }
  await using notifier = await startNotifier({ mailer, clock: counting })
  while (queued < due) await queue()
  await notifier.run('send-due-messages')
  expect(sentAt).toHaveLength(100)
  for (const [i, at] of sentAt.slice(50).entries()) expect(at - (sentAt[i] ?? 0)).toBeGreaterThan(1_000)
})

test('batches of mails are as far apart over all instances, and a clock that was ahead delays them for a minute at most', async () => {
  await using notifier = await startNotifier()
  const reserved = async (now: number) => reserveBatch(notifier.db, now, 170)
  const burst = await Promise.all([1, 2, 3, 4, 5].map(() => reserved(1_000)))
  expect(burst.toSorted((one, other) => one - other)).toEqual([1_000, 1_170, 1_340, 1_510, 1_680])
  expect(await reserved(10_000)).toBe(10_000)
  await reserved(9_000_000)
  expect(await reserved(20_000)).toBe(80_000)
})

test('mails that wait for the turn of their batch stay with their sender', async () => {
  const turn = Promise.withResolvers<void>()
  const clock = testClock()
  const renewEveryMs = 10_000
  const waiting: Clock = {
    ...clock,
    wait: async (ms, signal) => {
      if (ms > renewEveryMs) return turn.promise
      if (ms < renewEveryMs || clock.now() > begin + renewEveryMs) return clock.wait(ms, signal)
      clock.pass(renewEveryMs)
    },
  }
  await using notifier = await startNotifier({ clock: waiting })
  await notifier.deliver(PaymentSuspicious, { paymentId: 'p1', uid: 'u1', reason: 'odd' })
  const begin = clock.now()
  await reserveBatch(notifier.db, begin, 60_000)
  const round = notifier.run('send-due-messages')
  const renewed = [begin + 75_000 + renewEveryMs]
  await eventually(async () => {
    const { rowCount } = await notifier.admin.query('select from message where next_at >= $1', renewed)
    expect(rowCount).toBe(1)
  })
  turn.resolve()
  await round
  expect(notifier.sent).toHaveLength(1)
})
