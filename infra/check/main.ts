import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * `make test`: the static checks and every test suite, one after the other, then one line with the sum. Each static
 * check counts as one test. Skipped tests are named with their reason by the suite that skips them.
 */

interface Result {
  passed: number
  failed: number
  skipped: number
}

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

const total: Result = { passed: 0, failed: 0, skipped: 0 }
for (const [name, command, args] of CHECKS) {
  heading(name)
  const code = await run(command, args)
  add({ passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0 })
}
const reports = await mkdtemp(join(tmpdir(), 'prelude-check-'))
for (const [index, [name, config]] of SUITES.entries()) {
  heading(name)
  const report = join(reports, `${index}.json`)
  const args = [
    'run',
    '--config',
    config,
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ]
  const code = await run('vitest', args)
  const counted = await countOf(report)
  // a suite that ended badly without a failed test (a crash, an error outside of tests) has failed all the same
  add(code !== 0 && counted.failed === 0 ? { ...counted, failed: 1 } : counted)
}
await rm(reports, { recursive: true, force: true })
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : ''
process.stdout.write(`\n${total.passed} passed, ${total.failed} failed${skipped}\n`)
process.exit(total.failed === 0 ? 0 : 1)

function heading(name: string): void {
  process.stdout.write(`\n== ${name}\n`)
}

function add(result: Result): void {
  total.passed += result.passed
  total.failed += result.failed
  total.skipped += result.skipped
}

function run(command: string, args: string[]): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(join('node_modules', '.bin', command), args, {
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    child.on('error', () => resolve(1))
    child.on('close', (code) => resolve(code ?? 1))
  })
}

async function countOf(report: string): Promise<Result> {
  try {
    const json = JSON.parse(await readFile(report, 'utf8')) as {
      numPassedTests: number
      numFailedTests: number
      numPendingTests: number
      numTodoTests: number
    }
    return {
      passed: json.numPassedTests,
      failed: json.numFailedTests,
      skipped: json.numPendingTests + json.numTodoTests,
    }
  } catch {
    return { passed: 0, failed: 1, skipped: 0 }
  }
}
