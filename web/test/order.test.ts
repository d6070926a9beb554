import { canAccept, changesUntil, isLate, type Song } from '@prelude/contracts'
import { describe, expect, test } from 'vitest'
import { canCancel, canCorrect, promiseOf, replacedAt, saidEarlier } from '../src/features/album/order.ts'
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

const HOUR_MS = 3_600_000
const PROMISED_LATER: [what: string, song: Partial<Song>, said: number | null][] = [
  ['an hour', { promisedAt: HOUR_MS + 5 }, null],
  ['more', { promisedAt: HOUR_MS + 6 }, 5],
  [
    'more, after it waited for credits',
    { promisedAt: HOUR_MS + 6, ...steps('requested', 'waiting', 'paid') },
    null,
  ],
  ['more, and is late', { promisedAt: HOUR_MS + 6, ...LATE }, null],
  ['more, and is ready', { promisedAt: HOUR_MS + 6, ...READY }, null],
]
test('a promise of more than an hour after what the form said shows both times, where the song was charged as it was sent', () => {
  const found = PROMISED_LATER.map(([what, rest]) => [
    what,
    rest,
    saidEarlier(order({ readyBy: 5, ...rest })),
  ])
  expect(found).toEqual(PROMISED_LATER)
  expect(saidEarlier(order({ readyBy: null, promisedAt: HOUR_MS + 6 }))).toBeNull()
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
  const plain = (text: string): string => text.replaceAll(/[\u00a0\u202f]/g, ' ')
  const HOUR = 3_600_000
  const shown = (locale: string, zone: string, at: string, now: string): string =>
    plain(formatsFor(locale, zone).weekday(Date.parse(at), Date.parse(now)))

  const texts = [
    ['en', 'Africa/Lagos', 'tomorrow, 3:00 PM', 'Tuesday, 3:00 PM'],
    ['en', 'America/Los_Angeles', 'tomorrow, 6:00 AM', 'Tuesday, 6:00 AM'],
    ['en', 'Pacific/Auckland', 'tomorrow, 3:00 AM', 'Wednesday, 3:00 AM'],
    ['en', 'Asia/Kathmandu', 'tomorrow, 7:45 PM', 'Tuesday, 7:45 PM'],
    ['fr', 'Europe/Paris', 'demain, 15:00', 'mardi, 15:00'],
    ['pt', 'America/Sao_Paulo', 'amanhã, 11:00', 'terça-feira, 11:00'],
  ] as const
  test('is a day in words and a time of the zone, in the language', () => {
    const at = '2026-11-24T14:00:00Z'
    const found = texts.map(([locale, zone]) => [
      locale,
      zone,
      shown(locale, zone, at, '2026-11-23T14:00:00Z'),
      shown(locale, zone, at, '2026-11-21T14:00:00Z'),
    ])
    expect(found).toEqual(texts)
    expect(shown('en', 'UTC', at, '2026-11-24T00:00:00Z')).toBe('today, 2:00 PM')
    expect(shown('en', 'UTC', at, '2026-11-25T13:00:00Z')).toBe('yesterday, 2:00 PM')
  })

  test('moves with the clocks of its zone, not with the hours that pass', () => {
    // 24 hours later the clocks of Berlin show an hour less, or an hour more
    expect(shown('en', 'Europe/Berlin', '2026-10-25T12:00:00Z', '2026-10-24T12:00:00Z')).toBe(
      'tomorrow, 1:00 PM',
    )
    expect(shown('en', 'Europe/Berlin', '2026-10-24T12:00:00Z', '2026-10-23T12:00:00Z')).toBe(
      'tomorrow, 2:00 PM',
    )
    expect(shown('en', 'Europe/Berlin', '2026-03-29T12:00:00Z', '2026-03-28T12:00:00Z')).toBe(
      'tomorrow, 2:00 PM',
    )
    // the hour that comes twice, and the one that does not exist
    expect(shown('en', 'America/New_York', '2026-11-01T05:30:00Z', '2026-10-31T05:30:00Z')).toBe(
      'tomorrow, 1:30 AM',
    )
    expect(shown('en', 'America/New_York', '2026-03-08T07:30:00Z', '2026-03-07T07:30:00Z')).toBe(
      'tomorrow, 3:30 AM',
    )
  })

  test('has a date where its weekday could be that of another week, in every zone and hour', () => {
    const now = Date.parse('2026-10-20T00:30:00Z')
    for (const timeZone of ['Europe/Berlin', 'America/New_York', 'Pacific/Apia', 'UTC']) {
      const { weekday } = formatsFor('en', timeZone)
      const date = new Intl.DateTimeFormat('en', { timeZone, dateStyle: 'medium' })
      const day = new Intl.DateTimeFormat('en', { timeZone, weekday: 'long' })
      const words = new Map(
        ['yesterday', 'today', 'tomorrow'].map((word, n) => [date.format(now + (n - 1) * 24 * HOUR), word]),
      )
      for (let hours = -14 * 24; hours <= 14 * 24; hours++) {
        const at = now + hours * HOUR
        const text = weekday(at, now)
        expect(/(October|November) \d/.test(text)).toBe(Math.abs(hours) >= 6 * 24)
        expect(text).toContain(words.get(date.format(at)) ?? day.format(at))
      }
    }
  })

  test('a day has a name where it is near; how late something is has its largest unit', () => {
    const { day, elapsed } = formatsFor('en')
    const now = new Date(2026, 10, 27, 23, 30).getTime()
    expect([-24, 0, 1, 30, 100].map((hours) => day(now + hours * HOUR, now))).toEqual([
      'Yesterday',
      'Today',
      'Tomorrow',
      'Sunday, November 29',
      'Wednesday, December 2',
    ])
    expect([1, 18.9, 90, 49 * 60].map((minutes) => plain(elapsed(minutes * 60_000)))).toEqual([
      '1 min',
      '18 min',
      '1 hr',
      '2 days',
    ])
  })
})
