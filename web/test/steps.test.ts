import type { Song } from '@prelude/contracts'
import { expect, test } from 'vitest'
import { stepsOf } from '../src/features/album/steps.ts'

const ordered = (rest: Partial<Song>): string =>
  stepsOf({ status: 'pending', charge: 'deciding', createdAt: 1, updatedAt: null, ...rest } as Song)
    .map(({ name, mark, at }) => `${name} ${mark}${at === undefined ? '' : ` at ${at}`}`)
    .join(', ')

test.for<[what: string, song: Partial<Song>, steps: string]>([
  ['is being decided', {}, 'requested done at 1, paid now, cooking to come, ready to come'],
  [
    'waits for credits',
    { charge: 'declined' },
    'requested done at 1, paid stuck, cooking to come, ready to come',
  ],
  ['cooks', { charge: 'charged' }, 'requested done at 1, paid done, cooking now, ready to come'],
  [
    'is ready',
    { charge: 'charged', status: 'ready', updatedAt: 9 },
    'requested done at 1, paid done, cooking done, ready now at 9',
  ],
  [
    'came as a gift',
    { charge: 'gift', status: 'ready', updatedAt: 9 },
    'requested done at 1, gift done, cooking done, ready now at 9',
  ],
  ['was given back', { charge: 'refunded' }, 'requested done at 1, refunded now'],
])('an order that %s stands at one step, and says when only where the song does', ([, song, steps]) => {
  expect(ordered(song)).toBe(steps)
})
