import { expect, test } from 'vitest'
import { liveAll } from './lives.ts'

/** As many as a minute of one core lives. A failure is not shrunk here: `make soak SEED=…` finds the shortest life. */
const LIVES = 40

test('whatever happens in whatever order, all services agree with their model', async () => {
  expect(await liveAll()).toBe(LIVES)
})
