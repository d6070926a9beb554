import { randomInt } from 'node:crypto'
import { resolve } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { keepTemporaryFilesInMemory } from './temporary-files.ts'

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

keepTemporaryFilesInMemory()

/**
 * Files that run every night instead of with every change: generated requests, hostile files at the whole product, the passing
 * of time beside kills, updates, the move from one process to many, brokers of Kafka that die, and what brings lost data back
 * on real servers.
 */
export const NIGHTLY = [
  '{gateway,infra,services,web}/**/*.night.test.ts',
  'infra/tests/stack/update.test.ts',
  'infra/tests/native/kafka-faults.test.ts',
  'infra/tests/native/kafka-trust.test.ts',
  'infra/tests/move/move.test.ts',
  'infra/tests/move/backup-stack.test.ts',
  'infra/tests/move/point-in-time.test.ts',
]

/** Files that take longest come first: one that began last would leave the other worker without work. */
const LONGEST = [
  'soak/money',
  'system/starting',
  'system/account',
  'storage/test/hostile',
  'test/early-answers',
]

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const index = LONGEST.findIndex((part) => moduleId.includes(part))
      return index < 0 ? LONGEST.length : index
    }
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b))
  }
}

/** What the configurations of all suites share. */
export const shared = (config: string) => ({
  provide: { seed, config },
  sequence: { sequencer: LongestFirst },
  setupFiles: [resolve(import.meta.dirname, 'print-repeat-command.ts')],
  expect: { poll: { timeout: 30_000, interval: 50 } },
})
