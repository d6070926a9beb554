import type { Song } from '@prelude/contracts'
import { expect, test } from 'vitest'
import { stepsOf } from '../src/features/album/steps.ts'

const stepsText = (rest: Partial<Song>): string =>
  stepsOf({
    status: 'pending',
    charge: 'deciding',
    createdAt: 1,
    updatedAt: null,
    closedAt: null,
    timeline: [],
    ...rest,
  } as Song)
    .map(({ name, state, at }) => `${name} ${state}${at === undefined ? '' : ` at ${at}`}`)
    .join(', ')

const REQUESTS: [what: string, song: Partial<Song>, steps: string][] = [
  ['is being decided', {}, 'requested done at 1, paid current, cooking upcoming, ready upcoming'],
  [
    'waits for credits',
    { charge: 'declined' },
    'requested done at 1, paid blocked, cooking upcoming, ready upcoming',
  ],
  ['is cooking', { charge: 'charged' }, 'requested done at 1, paid done, cooking current, ready upcoming'],
  [
    'is ready',
    { charge: 'charged', status: 'ready', updatedAt: 9 },
    'requested done at 1, paid done, cooking done, ready current at 9',
  ],
  [
    'is cooking as a gift',
    { charge: 'gift' },
    'requested done at 1, gift done, cooking current, ready upcoming',
  ],
  [
    'was a gift',
    { charge: 'gift', status: 'ready', updatedAt: 9 },
    'requested done at 1, gift done, cooking done, ready current at 9',
  ],
  [
    'was cancelled',
    { status: 'cancelled', charge: 'refunded', closedAt: 5 },
    'requested done at 1, cancelled current at 5',
  ],
  [
    'was delivered, and refunded and its file replaced later',
    {
      charge: 'refunded',
      status: 'ready',
      updatedAt: 9,
      timeline: [
        { state: 'paid', at: 2 },
        { state: 'delivered', at: 7 },
      ],
    },
    'requested done at 1, paid done, cooking done, ready current at 7',
  ],
  ['was refunded', { charge: 'refunded' }, 'requested done at 1, refunded current'],
]
test('a request has one current step, and times only where the song has them', () => {
  const found = REQUESTS.map(([what, song]) => [what, song, stepsText(song)])
  expect(found).toEqual(REQUESTS)
})
