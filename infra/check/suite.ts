import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from './run.ts'

export interface Failure {
  title: string
  /** The first lines of the message. */
  reason: string
}

export interface Outcome {
  passed: number
  skipped: number
  failed: Failure[]
  /** Failed, and passed when its file was run again by itself. */
  unsteady: Failure[]
}

type FileOutcome = Omit<Outcome, 'unsteady'>

/** The fields of vitest's JSON report that are read here. */
interface Report {
  testResults: {
    name: string
    status: string
    message: string
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[]
  }[]
}

/** With more failed files than this nothing is run again: a busy machine cannot be the reason. */
const MOST_RERUN = 5
const LINES = 12

/**
 * Runs one suite. A few failed files are run again by themselves: tests that pass then do not fail the run, and are listed
 * as unsteady, with the reason of the first failure.
 */
export async function runSuite(name: string, config: string, reports: string): Promise<Outcome> {
  const first = await round(name, config, reports, [])
  const broken = [...first].filter(([file, { failed }]) => failed.length > 0 && file !== name)
  if (broken.length === 0 || broken.length > MOST_RERUN) {
    return { ...sumOf(first), unsteady: [] }
  }
  const files = broken.map(([file]) => file)
  process.stdout.write(`\n== once more, by themselves: ${files.join(', ')}\n`)
  const second = await round(name, config, reports, files)
  const outcome = sumOf(new Map([...first, ...second]))
  const failing = new Set(outcome.failed.map(({ title }) => title))
  const unsteady = broken.flatMap(([, { failed }]) => failed).filter(({ title }) => !failing.has(title))
  return { ...outcome, unsteady }
}

/** Runs the suite, or some of its files; answers the outcome by file. A failure outside of files has the suite's name. */
async function round(
  name: string,
  config: string,
  reports: string,
  files: string[],
): Promise<Map<string, FileOutcome>> {
  const path = join(reports, 'report.json')
  await rm(path, { force: true })
  const { code, errors } = await run('vitest', [
    'run',
    '--config',
    config,
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${path}`,
    ...files,
  ])
  let report: Report = { testResults: [] }
  try {
    report = JSON.parse(await readFile(path, 'utf8')) as Report
  } catch {
    // no report: the run crashed, which its exit code shows below
  }
  const outcomes = new Map(report.testResults.map((file) => [file.name, outcomeOf(file)]))
  // an exit code without a failed test (a crash, an error outside of tests) is a failure too
  if (outcomes.size === 0 || (code !== 0 && sumOf(outcomes).failed.length === 0)) {
    const failure = { title: name, reason: `ended with ${code}\n${errors}` }
    outcomes.set(name, { passed: 0, skipped: 0, failed: [failure] })
  }
  return outcomes
}

function outcomeOf(file: Report['testResults'][number]): FileOutcome {
  const tests = file.assertionResults
  const failed = tests
    .filter(({ status }) => status === 'failed')
    .map(({ fullName, failureMessages }) => ({ title: fullName, reason: short(failureMessages.join('\n')) }))
  if (failed.length === 0 && file.status === 'failed') {
    failed.push({ title: file.name, reason: short(file.message) })
  }
  const passed = tests.filter(({ status }) => status === 'passed').length
  return { passed, skipped: tests.length - passed - failed.length, failed }
}

function sumOf(outcomes: Map<string, FileOutcome>): FileOutcome {
  const all = [...outcomes.values()]
  return {
    passed: all.reduce((total, { passed }) => total + passed, 0),
    skipped: all.reduce((total, { skipped }) => total + skipped, 0),
    failed: all.flatMap(({ failed }) => failed),
  }
}

function short(message: string): string {
  const lines = message.split('\n').filter((line) => !line.includes('/node_modules/vitest/'))
  return lines.slice(0, LINES).join('\n')
}
