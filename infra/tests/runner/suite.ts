import { readFile, rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { repeatCommand } from '../support/repeat-command.ts'
import { run, type Running } from './run.ts'

/** The outcome of a test, of a static check, or of a file or suite that failed outside of its tests. */
export interface Outcome {
  readonly title: string
  readonly status: 'passed' | 'failed' | 'skipped'
  readonly seconds: number
  /** Absolute; null where no file can be named. */
  readonly file: string | null
  /** Of a failure: the first lines of its message, and the command that repeats it. */
  readonly reason: string
}

export interface Suite {
  readonly name: string
  readonly config: string
  /** Parts of paths; none: all files. */
  readonly only: readonly string[]
  /** A part of its files, as `1/2`. */
  readonly shard?: string
  /** Variables of its environment. */
  readonly env?: Readonly<Record<string, string>>
}

/** The fields of vitest's JSON report that are read here. */
interface Report {
  testResults: {
    name: string
    status: string
    message: string
    assertionResults: { fullName: string; status: string; duration?: number; failureMessages: string[] }[]
  }[]
}

/** With more failed files than this there is no second run: its output would be as long as the first. */
const MOST_RERUN = 5
const LINES = 12

/**
 * Runs a suite. Where a few files fail, they run a second time by themselves, which only helps to find the cause: the
 * outcome is that of the first run, with a remark at failures that did not happen again.
 */
export async function runSuite(
  suite: Suite,
  seed: number,
  folder: string,
  output: Running,
): Promise<Outcome[]> {
  output.stdout(`\n== ${suite.name}${suite.shard ? `, ${suite.shard}` : ''}\n`)
  const outcomes = await round(suite, seed, folder, output)
  const files = [
    ...new Set(outcomes.flatMap(({ status, file }) => (status === 'failed' && file ? [file] : []))),
  ]
  if (files.length === 0 || files.length > MOST_RERUN) return outcomes
  output.stdout(`\n== second run of what failed, to help find the cause; it changes no outcome\n`)
  const { shard: _all, ...whole } = suite
  const second = await round({ ...whole, only: files }, seed, folder, output)
  const failsAgain = new Set(second.filter(({ status }) => status === 'failed').map(keyOf))
  return outcomes.map((one) =>
    one.status !== 'failed' || one.file === null || failsAgain.has(keyOf(one))
      ? one
      : { ...one, reason: `${one.reason}\npassed when its file was run again by itself: look for a race` },
  )
}

const keyOf = ({ file, title }: Outcome): string => `${file} ${title}`

async function round(
  { name, config, only, shard, env }: Suite,
  seed: number,
  folder: string,
  output: Running,
): Promise<Outcome[]> {
  const path = join(folder, 'report.json')
  await rm(path, { force: true })
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${path}`]
  const files = [...(shard ? [`--shard=${shard}`] : []), ...only]
  const { code, errors } = await run(
    'vitest',
    ['run', '--config', config, ...reporters, ...files],
    output,
    env,
  )
  let report: Report = { testResults: [] }
  try {
    report = JSON.parse(await readFile(path, 'utf8')) as Report
  } catch {
    // no report: the run crashed, which its exit code shows below
  }
  const outcomes = report.testResults.flatMap((file) =>
    outcomesOf(file, repeatCommand(seed, config, relative('', file.name))),
  )
  // an exit code without a failed test (a crash, an error outside of tests) is a failure too
  if (outcomes.length === 0 || (code !== 0 && outcomes.every(({ status }) => status !== 'failed')))
    outcomes.push({
      title: name,
      status: 'failed',
      seconds: 0,
      file: null,
      reason: `ended with ${code}\n${errors}`,
    })
  return outcomes
}

function outcomesOf(file: Report['testResults'][number], repeat: string): Outcome[] {
  const reasonOf = (message: string): string => `${short(message)}\nrepeat it with: ${repeat}`
  const outcomes = file.assertionResults.map(
    ({ fullName, status, duration = 0, failureMessages }): Outcome => {
      const about = { title: fullName, seconds: duration / 1_000, file: file.name }
      if (status === 'failed') return { ...about, status, reason: reasonOf(failureMessages.join('\n')) }
      return { ...about, status: status === 'passed' ? status : 'skipped', reason: '' }
    },
  )
  // it could not be loaded, or a hook of the file failed
  if (file.status === 'failed' && outcomes.every(({ status }) => status !== 'failed'))
    outcomes.push({
      title: relative('', file.name),
      status: 'failed',
      seconds: 0,
      file: file.name,
      reason: reasonOf(file.message),
    })
  return outcomes
}

function short(message: string): string {
  const lines = message.split('\n').filter((line) => !line.includes('/node_modules/vitest/'))
  return lines.slice(0, LINES).join('\n')
}
