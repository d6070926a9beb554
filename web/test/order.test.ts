import { canAccept, changesUntil, type Song } from '@prelude/contracts'
import { describe, expect, test } from 'vitest'
import { canCancel, canCorrect, isLate, promiseOf, replacedAt } from '../src/features/album/order.ts'
import { formatsFor } from '../src/messages/format.ts'
import { song } from './held-api.ts'

const until = (one: Song, changesIncluded: number) => changesUntil(one, { changesIncluded, changesDays: 3 })
const order = (rest: Partial<Song> = {}): Song =>
  song(1, {
    charge: 'charged',
    promisedAt: 100,
    startedAt: null,
    acceptedAt: null,
    certificate: null,
    changes: null,
    updatedAt: null,
    timeline: [{ state: 'requested', at: 1 }],
    ...rest,
  })
const steps = (...states: Song['timeline'][number]['state'][]): Pick<Song, 'timeline'> => ({
  timeline: states.map((state, index) => ({ state, at: index + 1 })),
})
const LATE = steps('requested', 'paid', 'late')
const READY: Partial<Song> = {
  status: 'ready',
  updatedAt: 2,
  ...steps('requested', 'delivered'),
}

const REQUESTS: [what: string, song: Partial<Song>, cancel: boolean, correct: boolean][] = [
  ['is charged', {}, true, true],
  ['waits for credits', { charge: 'declined', promisedAt: null }, true, true],
  ['is being decided', { charge: 'deciding', promisedAt: null }, false, true],
  ['is in the studio', { startedAt: 5 }, false, false],
  ['is late', LATE, true, true],
  ['is in the studio and late', { ...LATE, startedAt: 5 }, true, false],
  ['is ready', READY, false, false],
  ['was cancelled', { status: 'cancelled' }, false, false],
]
test('a request can be cancelled and corrected as the server allows', () => {
  const found = REQUESTS.map(([what, rest]) => [what, rest, canCancel(order(rest)), canCorrect(order(rest))])
  expect(found).toEqual(REQUESTS)
})

test('a promise is shown until the song is ready, closed or refunded; late is what the server noticed', () => {
  expect(promiseOf(order())).toBe(100)
  expect(promiseOf(order({ charge: 'gift' }))).toBe(100)
  for (const rest of [READY, { charge: 'refunded' }, { status: 'cancelled' }] as const)
    expect(promiseOf(order(rest))).toBeNull()
  expect([isLate(order()), isLate(order(LATE))]).toEqual([false, true])
  expect(isLate(order({ ...READY, ...steps('requested', 'late', 'delivered') }))).toBe(false)
})

test('a delivered song is accepted or changed once, and the time begins again with the new takes', () => {
  const asked = { notes: [], askedAt: 3, deliveredAt: null }
  const delivered = order(READY)
  expect(canAccept(delivered)).toBe(true)
  expect(until(delivered, 1)).toBe(2 + 3 * 86_400_000)
  const asking = order({
    ...READY,
    changes: { ...asked, state: 'asked' },
    ...steps('requested', 'delivered', 'changes_asked'),
  })
  expect([canAccept(asking), until(asking, 2)]).toEqual([false, null])
  const again = order({
    ...READY,
    changes: { ...asked, state: 'delivered', deliveredAt: 4 },
    ...steps('requested', 'delivered', 'changes_asked', 'changes_delivered'),
  })
  expect([canAccept(again), until(again, 1), until(again, 2)]).toEqual([true, null, 4 + 3 * 86_400_000])
  expect(canAccept(order({ ...READY, acceptedAt: 9 }))).toBe(false)
  expect(until(delivered, 0)).toBeNull()
  expect(until({ ...delivered, charge: 'refunded' }, 1)).toBeNull()
})

test('a replaced file is told from a delivery', () => {
  expect(replacedAt(order())).toBeNull()
  expect(replacedAt(order(READY))).toBeNull()
  expect(replacedAt(order({ ...READY, updatedAt: 7 }))).toBe(7)
})

describe('a promised time', () => {
  const plain = (text: string): string => text.replaceAll(/[\u00a0\u202f]/g, ' ').replace(' at', '')
  const HOUR = 3_600_000
  const shown = (locale: string, zone: string, at: string, now: string): string =>
    plain(formatsFor(locale, zone).weekday(Date.parse(at), Date.parse(now)))

  const texts = [
    ['en', 'Africa/Lagos', 'Tuesday 3:00 PM'],
    ['en', 'America/Los_Angeles', 'Tuesday 6:00 AM'],
    ['en', 'Pacific/Auckland', 'Wednesday 3:00 AM'],
    ['en', 'Asia/Kathmandu', 'Tuesday 7:45 PM'],
    ['fr', 'Europe/Paris', 'mardi 15:00'],
    ['pt', 'America/Sao_Paulo', 'terça-feira, 11:00'],
  ] as const
  test('is a weekday and a time of the zone, in the language', () => {
    const found = texts.map(([locale, zone]) => [
      locale,
      zone,
      shown(locale, zone, '2026-11-24T14:00:00Z', '2026-11-23T14:00:00Z'),
    ])
    expect(found).toEqual(texts)
  })

  test('moves with the clocks of its zone, not with the hours that pass', () => {
    // 24 hours later the clocks of Berlin show an hour less, or an hour more
    expect(shown('en', 'Europe/Berlin', '2026-10-25T12:00:00Z', '2026-10-24T12:00:00Z')).toBe(
      'Sunday 1:00 PM',
    )
    expect(shown('en', 'Europe/Berlin', '2026-10-24T12:00:00Z', '2026-10-23T12:00:00Z')).toBe(
      'Saturday 2:00 PM',
    )
    expect(shown('en', 'Europe/Berlin', '2026-03-29T12:00:00Z', '2026-03-28T12:00:00Z')).toBe(
      'Sunday 2:00 PM',
    )
    // the hour that comes twice, and the one that does not exist
    expect(shown('en', 'America/New_York', '2026-11-01T05:30:00Z', '2026-10-31T05:30:00Z')).toBe(
      'Sunday 1:30 AM',
    )
    expect(shown('en', 'America/New_York', '2026-03-08T07:30:00Z', '2026-03-07T07:30:00Z')).toBe(
      'Sunday 3:30 AM',
    )
  })

  test('has a date where its weekday could be that of another week, in every zone and hour', () => {
    const now = Date.parse('2026-10-20T00:30:00Z')
    for (const zone of ['Europe/Berlin', 'America/New_York', 'Pacific/Apia', 'UTC'])
      for (let hours = -14 * 24; hours <= 14 * 24; hours++) {
        const at = now + hours * HOUR
        const text = formatsFor('en', zone).weekday(at, now)
        const day = (time: number): string =>
          new Date(time).toLocaleDateString('en', { timeZone: zone, weekday: 'long' })
        const isDated = /(October|November) \d/.test(text)
        expect(text).toContain(day(at))
        expect(isDated).toBe(Math.abs(hours) >= 6 * 24)
        // without a date the weekday is today’s only for today
        const isToday =
          new Date(at).toLocaleDateString('en', { timeZone: zone }) ===
          new Date(now).toLocaleDateString('en', { timeZone: zone })
        if (!isDated && day(at) === day(now)) expect(isToday).toBe(true)
      }
  })

  test('a duration is in minutes, hours or days', () => {
    const { hours } = formatsFor('en')
    expect([0.5, 1, 24, 30, 72].map(hours)).toEqual([
      '30 minutes',
      '1 hour',
      '24 hours',
      '30 hours',
      '3 days',
    ])
    expect(formatsFor('fr').hours(24).replaceAll('\u00a0', ' ')).toBe('24 heures')
  })
})
