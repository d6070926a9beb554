import { buffered, run } from './run.ts'
import type { Outcome } from './suite.ts'

type Check = readonly [name: string, command: string, args: readonly string[]]

const CHECKS: readonly Check[] = [
  // what it found is kept, so that the next one takes a fraction
  [
    'type check',
    'tsc',
    ['--noEmit', '--incremental', '--tsBuildInfoFile', 'node_modules/.cache/typecheck.json'],
  ],
  ['lint', 'oxlint', ['--type-aware', '--deny-warnings']],
  ['format', 'oxfmt', ['--check', '.']],
]

/** The rules of the source tree by themselves; `make test` has them among its unit tests. */
export const BOUNDARIES: Check = [
  'boundaries',
  'vitest',
  ['run', '--config', 'infra/tests/rules/vitest.config.ts'],
]

/** Runs the static checks side by side. Each counts as one test; its output is shown when it ends. */
export const runChecks = (...others: readonly Check[]): Promise<Outcome[]> =>
  Promise.all(
    [...CHECKS, ...others].map(async ([title, command, args]): Promise<Outcome> => {
      const began = Date.now()
      const output = buffered()
      const { code } = await run(command, args, output)
      const seconds = (Date.now() - began) / 1_000
      process.stdout.write(`\n== ${title}: ${code === 0 ? 'passed' : 'failed'} in ${seconds.toFixed(0)} s\n`)
      output.show()
      const status = code === 0 ? 'passed' : 'failed'
      return { title, status, seconds, file: null, reason: code === 0 ? '' : 'see its output above' }
    }),
  )
