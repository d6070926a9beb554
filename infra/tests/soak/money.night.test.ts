import { expect, test } from 'vitest'
import { liveAll } from './lives.ts'

// also bounds the search for the shortest life that fails
const limitMs = Number(process.env['SOAK_MINUTES'] ?? 10) * 60_000

test(
  'for minutes, whatever happens in whatever order, all services agree with their model',
  async () => {
    expect(await liveAll(limitMs)).toBeGreaterThan(0)
  },
  2 * limitMs + 300_000, // the last life and its shrinking end after the limit
)
