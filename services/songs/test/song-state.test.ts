import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import { STANDARD_TERMS } from '@prelude/contracts'
import { AppError } from '@prelude/platform'
import { placedObject } from '@prelude/platform/testing'
import {
  accepted,
  acceptedInTime,
  fulfilled,
  withChangesAsked,
  withChangesDelivered,
} from '../src/domain/delivery.ts'
import {
  assertFulfillable,
  cancelled,
  corrected,
  declined,
  late,
  onCharged as chargedAt,
  onDeclined as declinedAt,
  onRefunded as refundedAt,
  refunded,
  released,
  type SongState,
  started,
} from '../src/domain/song.ts'
import { requested } from './requested.ts'
import { newestTake, withReplacedTake, withTakes } from '../src/domain/takes.ts'

const REQUESTED = requested()
const NOW = { at: 1000, ahead: 0, terms: STANDARD_TERMS }
const onCharged = chargedAt(0, 0, STANDARD_TERMS)
const onDeclined = declinedAt(0)
const onRefunded = refundedAt(0)
const object = (path: string) => placedObject(path, { placedAt: 0 })
const CHARGED = onCharged(REQUESTED)
const DECLINED = onDeclined(REQUESTED)
const fulfil = (song: SongState, gift: boolean): SongState =>
  fulfilled(song, { gift, version1: object('a'), version2: object('b'), at: 1000 })
const refund = (song: SongState, delivered = false): SongState =>
  refunded(song, { reason: 'no singer', delivered, at: 1000 })
const refusal = (work: () => unknown): string | null => {
  try {
    work()
    return null
  } catch (error) {
    if (error instanceof AppError) return error.code
    throw error
  }
}

test('a decline that comes after the charge changes nothing', () => {
  expect(onDeclined(CHARGED)).toBe(CHARGED)
})

test('a waiting song becomes charged when its credits arrive', () => {
  expect(onCharged(DECLINED).charge).toBe('charged')
})

test('a gift stays a gift whatever credits says later', () => {
  const gift = fulfil(DECLINED, true)
  expect(gift.charge).toBe('gift')
  expect(onCharged(gift)).toBe(gift)
  expect(onRefunded(gift)).toBe(gift)
})

test('a refunded song is never charged again and can only be given away', () => {
  const given = refund(CHARGED)
  expect(given).toMatchObject({ charge: 'refunded', refundReason: 'no singer' })
  for (const answer of [onCharged, onRefunded]) expect(answer(given)).toBe(given)
  expect(refusal(() => assertFulfillable(given, false))).toBe('song_not_charged')
  expect(fulfil(given, true).charge).toBe('gift')
})

test('the promise of a refunded song stays when it is begun or delivered as a gift', () => {
  const { promisedAt } = CHARGED
  expect(promisedAt).toEqual(expect.any(Number))
  const given = refund(CHARGED)
  const later = { at: 5_000_000, ahead: 900, terms: STANDARD_TERMS }
  for (const gift of [started(given, { gift: true, ...later }), fulfil(given, true)])
    expect(gift).toMatchObject({ charge: 'gift', promisedAt })
})

test('the reason of a refund stays when the song is declined or cancelled later, each with its own', () => {
  const given = refund(CHARGED)
  expect(declined(given, 'no words', 1000)).toMatchObject({
    refundReason: 'no singer',
    closedReason: 'no words',
  })
  expect(cancelled(given, 1000)).toMatchObject({ refundReason: 'no singer', closedReason: null })
})

test('a charged song that is fulfilled with the gift box ticked stays charged', () => {
  expect(fulfil(CHARGED, true).charge).toBe('charged')
})

test('fulfilment is refused while it is undecided whether the song is paid', () => {
  expect(refusal(() => assertFulfillable(REQUESTED, true))).toBe('charge_pending')
  expect(refusal(() => assertFulfillable(DECLINED, false))).toBe('song_not_charged')
  expect(refusal(() => assertFulfillable(fulfil(CHARGED, false), false))).toBe('song_already_ready')
})

test('only a charged song can be refunded, once; a delivered one when the operator says so', () => {
  expect(refusal(() => refund(REQUESTED))).toBe('charge_pending')
  for (const song of [DECLINED, refund(CHARGED), fulfil(DECLINED, true)])
    expect(refusal(() => refund(song, true))).toBe('song_not_charged')
  expect(refusal(() => refund(fulfil(CHARGED, false)))).toBe('song_already_ready')
  expect(refund(fulfil(CHARGED, false), true)).toMatchObject({ status: 'ready', charge: 'refunded' })
})

const paths = ({ takes }: SongState): string[] =>
  takes.map(({ version, take, path }) => `${version}.${take} ${path}`)
const READY = fulfil(CHARGED, false)
const replaceFirst = (song: SongState, replaces: string, path: string, at = 1000): SongState =>
  withReplacedTake(song, { version: 1, replaces, object: object(path) }, at)

test('a replaced take is later than the one before, even within one millisecond', () => {
  const replaced = withReplacedTake(READY, { version: 2, replaces: 'b', object: object('c') }, 1000)
  expect(replaced.updatedAt).toBe(1001)
  expect(paths(replaced)).toEqual(['1.1 a', '2.1 c'])
  expect(refusal(() => replaceFirst(CHARGED, 'a', 'c'))).toBe('song_not_ready')
})

test('of two replacements of one take the later call is refused: the replaced recording does not come back', () => {
  const replaced = replaceFirst(READY, 'a', 'new')
  expect(refusal(() => replaceFirst(replaced, 'a', 'late'))).toBe('fulfilment_in_progress')
  expect(refusal(() => replaceFirst(replaced, 'b', 'of the other version'))).toBe('fulfilment_in_progress')
})

test('new takes are numbered by version; the newest is heard, and each can be replaced', () => {
  const more = withTakes(READY, [{ version: 2, object: object('c') }], 1000)
  expect(paths(more)).toEqual(['1.1 a', '2.1 b', '2.2 c'])
  expect([newestTake(more.takes, 1)?.path, newestTake(more.takes, 2)?.path]).toEqual(['a', 'c'])
  const replaced = withReplacedTake(more, { version: 2, replaces: 'b', object: object('d') }, 1000)
  expect(paths(replaced)).toEqual(['1.1 a', '2.1 d', '2.2 c'])
  expect(refusal(() => withTakes(CHARGED, [{ version: 1, object: object('c') }], 1000))).toBe(
    'song_not_ready',
  )
})

test('an object that was placed over an hour ago is not taken: storage removes what nobody named', () => {
  const late = 60 * 60_000 + 1
  expect(refusal(() => withTakes(READY, [{ version: 1, object: object('c') }], late))).toBe('upload_failed')
  expect(refusal(() => replaceFirst(READY, 'a', 'c', late))).toBe('upload_failed')
  const body = { gift: false, version1: object('a'), version2: object('b'), at: late }
  expect(refusal(() => fulfilled(CHARGED, body))).toBe('upload_failed')
})

const STEPS: Record<string, (song: SongState) => SongState> = {
  charged: onCharged,
  declined: onDeclined,
  refunded: onRefunded,
  refund: (song) => refund(song),
  refundDelivered: (song) => refund(song, true),
  fulfil: (song) => fulfil(song, false),
  gift: (song) => fulfil(song, true),
  start: (song) => started(song, { gift: false, ...NOW }),
  giveAndStart: (song) => started(song, { gift: true, ...NOW }),
  stop: released,
  cancel: (song) => cancelled(song, 1000),
  decline: (song) => declined(song, 'no', 1000),
  correct: (song) => corrected(song, { lyrics: 'other' }, 1000),
  late: (song) => late(song, (song.promisedAt ?? 0) + 1),
  ask: (song) =>
    withChangesAsked(song, { notes: [{ version: 1, text: 'louder' }], at: 1000, terms: STANDARD_TERMS }),
  deliver: (song) => withChangesDelivered(song, [{ version: 1, object: object('c') }], 1000),
  accept: (song) => accepted(song, 1000),
  silence: (song) => acceptedInTime(song, Number.MAX_SAFE_INTEGER, STANDARD_TERMS),
}
const attempt = (song: SongState, step: string): SongState => {
  let after = song
  refusal(() => {
    after = STEPS[step]?.(song) ?? song
  })
  return after
}
const step = fc.constantFrom(...Object.keys(STEPS))
const RANK = ['deciding', 'declined', 'charged', 'refunded', 'gift']

/** The states of a song, and their transitions. */
const isSound = (song: SongState): boolean =>
  song.takes.length >= 2 === (song.status === 'ready') &&
  (song.updatedAt !== null) === (song.status === 'ready') &&
  (song.deliveredAt !== null) === (song.status === 'ready') &&
  (song.closedAt !== null) === ['cancelled', 'declined'].includes(song.status) &&
  (song.status !== 'ready' || !['deciding', 'declined'].includes(song.charge)) &&
  (song.promisedAt !== null || (song.startedAt === null && song.lateAt === null)) &&
  (song.acceptedAt === null || song.status === 'ready') &&
  song.timeline.filter(({ state }) => state === 'late').length <= 1
const isForward = (from: SongState, to: SongState): boolean =>
  RANK.indexOf(to.charge) >= RANK.indexOf(from.charge) &&
  (from.status === 'pending' || to.status === from.status) &&
  (from.promisedAt === null || to.promisedAt === from.promisedAt) &&
  to.timeline.length >= from.timeline.length

test('whatever arrives in whatever order and how often, a song stays sound and only moves forward', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const songs = [REQUESTED]
      for (const name of steps) songs.push(attempt(songs.at(-1) ?? REQUESTED, name))
      const wrong = songs.filter((song, i) => !isSound(song) || !isForward(songs[i - 1] ?? REQUESTED, song))
      expect(wrong).toEqual([])
    }),
    { numRuns: 1000, seed: inject('seed') },
  )
})

test('the answers of credits lead to the same charge in any order and with any doubles', () => {
  const answers = fc.array(fc.constantFrom('charged', 'declined', 'refunded'), { maxLength: 8 })
  fc.assert(
    fc.property(
      answers.chain((list) =>
        fc.tuple(
          fc.constant(list),
          fc.shuffledSubarray(list, { minLength: list.length }),
          fc.array(fc.constantFrom(...list, 'none')),
        ),
      ),
      ([list, shuffled, doubles]) => {
        const end = (steps: string[]) => steps.reduce(attempt, REQUESTED).charge
        expect(end([...shuffled, ...doubles])).toEqual(end(list))
      },
    ),
    { seed: inject('seed') },
  )
})
