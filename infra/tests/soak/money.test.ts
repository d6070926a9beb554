import { expect, test } from 'vitest'
import { liveAll } from './lives.ts'

/** As many as half a minute of one core lives. A failure is not shrunk here: `make soak SEED=…` finds the shortest life. */
const LIVES = 110

test('whatever happens in whatever order, payments, credits and songs agree with their model', async () => {
  expect(await liveAll({ numRuns: LIVES, endOnFailure: true })).toEqual({ lived: LIVES })
})
