import { relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { FullResult, Reporter, TestCase, TestError, TestResult } from '@playwright/test/reporter'
import { type Outcome, shortened, writeReport } from './outcome.ts'

/** Reporter of Playwright: writes the report of the gate. */
export default class GateReporter implements Reporter {
  readonly #seconds = new Map<string, number>()
  readonly #outcomes: Outcome[] = []

  onTestEnd(test: TestCase, result: TestResult): void {
    const file = relative('', test.location.file)
    this.#seconds.set(file, (this.#seconds.get(file) ?? 0) + result.duration / 1_000)
    const [, , , ...titles] = test.titlePath() // before them: the root, the project and the file
    this.#outcomes.push({ file, title: titles.join(' › '), ...verdictOn(test, result) })
  }

  onError(error: TestError): void {
    const reason = messageOf(error)
    this.#outcomes.push({ file: null, title: 'outside of its tests', status: 'failed', reason })
  }

  onEnd(_result: FullResult): void {
    const files = [...this.#seconds].map(([file, seconds]) => ({ file, seconds }))
    writeReport({ files, outcomes: this.#outcomes })
  }
}

const messageOf = ({ stack, message, value }: TestError): string =>
  shortened(stripVTControlCharacters(stack ?? message ?? value ?? ''))

function verdictOn(test: TestCase, result: TestResult): Pick<Outcome, 'status' | 'reason'> {
  if (result.status === 'skipped') {
    const why = test.annotations.find(({ type }) => type === 'skip')?.description
    return { status: 'skipped', reason: why ?? '' }
  }
  if (test.ok()) return { status: 'passed', reason: '' }
  const { file, line } = test.location
  const repeat = `repeat it with: npx playwright test --config infra/tests/e2e ${relative('', file)}:${line}`
  return { status: 'failed', reason: [...result.errors.map(messageOf), repeat].join('\n') }
}
