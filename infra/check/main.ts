import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from './run.ts'
import { type Outcome, runSuite } from './suite.ts'

/**
 * `make test`: runs the static checks and every test suite, one after the other; then lists the failures and prints one
 * line with the totals. Each static check counts as one test. A suite prints its skipped tests with the reason.
 */

const CHECKS: readonly [name: string, command: string, args: string[]][] = [
  ['type check', 'tsc', ['--noEmit']],
  ['lint', 'oxlint', ['--type-aware', '--deny-warnings']],
  ['format', 'prettier', ['--check', '--log-level', 'warn', '.']],
]

const SUITES: readonly [name: string, config: string][] = [
  ['unit, service, conformance and system tests', 'vitest.config.ts'],
  ['real servers: Kafka, Redis, an S3 store, and the stack made of them', 'infra/native/vitest.config.ts'],
  ['the story in a real browser', 'infra/e2e/vitest.config.ts'],
]

const outcomes: Outcome[] = []
for (const [name, command, args] of CHECKS) {
  heading(name)
  const { code } = await run(command, args)
  outcomes.push(
    code === 0
      ? { passed: 1, skipped: 0, failed: [], unsteady: [] }
      : { passed: 0, skipped: 0, failed: [{ title: name, reason: 'see its output above' }], unsteady: [] },
  )
}
const reports = await mkdtemp(join(tmpdir(), 'prelude-check-'))
for (const [name, config] of SUITES) {
  heading(name)
  outcomes.push(await runSuite(name, config, reports))
}
await rm(reports, { recursive: true, force: true })

const failed = outcomes.flatMap((outcome) => outcome.failed)
const unsteady = outcomes.flatMap((outcome) => outcome.unsteady)
list('failed', failed)
list('unsteady: failed, and passed when its file was run again by itself', unsteady)
const passed = sum((outcome) => outcome.passed)
const skipped = sum((outcome) => outcome.skipped)
process.stdout.write(
  `\n${passed} passed, ${failed.length} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`,
)
process.exit(failed.length === 0 ? 0 : 1)

function heading(name: string): void {
  process.stdout.write(`\n== ${name}\n`)
}

function list(name: string, failures: Outcome['failed']): void {
  if (failures.length === 0) {
    return
  }
  heading(name)
  for (const { title, reason } of failures) {
    process.stdout.write(`- ${title}\n${reason.replace(/^/gm, '    ')}\n`)
  }
}

function sum(of: (outcome: Outcome) => number): number {
  return outcomes.reduce((total, outcome) => total + of(outcome), 0)
}
