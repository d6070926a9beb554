import { randomInt } from 'node:crypto'
import { resolve } from 'node:path'
import { WAIT_MS } from '@prelude/platform/eventually'
import { keepTemporaryFilesInMemory } from './temporary-files.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Of all random tests of the run; `SEED=…` repeats the choices of an earlier one. */
    seed: number
  }
}

const seed = Number((process.env['SEED'] ??= String(randomInt(2 ** 31))))
if (!Number.isSafeInteger(seed)) throw new Error('SEED must be a whole number')

// Each test file and each product is a process of its own, several hundred in all: Node keeps what it has compiled for them,
// by content. It takes a third off the start of a service.
process.env['NODE_COMPILE_CACHE'] ??= resolve(import.meta.dirname, '../../../node_modules/.cache/node')

keepTemporaryFilesInMemory()

/** The limit of a test, which its waits of a minute fit into. No test has one of its own. */
const LIMIT_MS = 5 * 60_000

/** What all projects share. */
export const SHARED = {
  provide: { seed },
  testTimeout: LIMIT_MS,
  hookTimeout: LIMIT_MS,
  expect: { poll: { timeout: WAIT_MS, interval: 50 } },
}
