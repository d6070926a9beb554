import { randomInt } from 'node:crypto'
import { resolve } from 'node:path'

declare module 'vitest' {
  interface ProvidedContext {
    /** Of all random tests of the run; `SEED=…` repeats the choices of an earlier one. */
    seed: number
    /** The configuration file of the suite. */
    config: string
  }
}

const seed = Number(process.env['SEED'] ?? randomInt(2 ** 31))
if (!Number.isSafeInteger(seed)) throw new Error('SEED must be a whole number')

// Each test file and each product is a process of its own, several hundred in all: Node keeps what it has compiled for them,
// by content. It takes a third off the start of a service.
process.env['NODE_COMPILE_CACHE'] ??= resolve(import.meta.dirname, '../../../node_modules/.cache/node')

/** What the configurations of all suites share. */
export const shared = (config: string) => ({
  provide: { seed, config },
  setupFiles: [resolve(import.meta.dirname, 'print-repeat-command.ts')],
  expect: { poll: { timeout: 10_000, interval: 50 } },
})
