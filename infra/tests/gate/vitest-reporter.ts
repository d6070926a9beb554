import { relative } from 'node:path'
import type { SerializedError } from 'vitest'
import type { Reporter, TestCase, TestModule } from 'vitest/node'
import { type Outcome, shortened, writeReport } from './outcome.ts'

/** Reporter of vitest: writes the report of the gate, and prints for each failure the command that repeats it. */
export default class GateReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const outcomes = [...modules.flatMap(outcomesOf), ...unhandled.map((error) => outside(null, [error]))]
    for (const { file, status } of outcomes)
      if (file !== null && status === 'failed') process.stderr.write(`${repeat(file)}\n`)
    writeReport({
      files: modules.map((module) => ({ file: fileOf(module), seconds: secondsOf(module) })),
      outcomes,
    })
  }
}

const fileOf = ({ moduleId }: TestModule): string => relative('', moduleId)

function secondsOf(module: TestModule): number {
  const { duration, collectDuration, setupDuration, prepareDuration, environmentSetupDuration } =
    module.diagnostic()
  const all = duration + collectDuration + setupDuration + prepareDuration + environmentSetupDuration
  return all / 1_000
}

/** With the variables of the run on which a test depends: the seed of all random choices, and the minutes of a soak. */
function repeat(file: string): string {
  const minutes = process.env['SOAK_MINUTES']
  return `repeat it with: SEED=${process.env['SEED']}${minutes ? ` SOAK_MINUTES=${minutes}` : ''} npx vitest run ${file}`
}

function outcomesOf(module: TestModule): Outcome[] {
  const file = fileOf(module)
  const outcomes = [...module.children.allTests()].map((test) => outcomeOf(file, test))
  // it could not be loaded, or one of its hooks failed
  const errors = [...module.errors(), ...[...module.children.allSuites()].flatMap((suite) => suite.errors())]
  return errors.length > 0 ? [...outcomes, outside(file, errors)] : outcomes
}

function outcomeOf(file: string, test: TestCase): Outcome {
  const result = test.result()
  const about = { file, title: test.fullName }
  if (result.state === 'failed') return { ...about, status: 'failed', reason: reasonOf(file, result.errors) }
  if (result.state === 'passed') return { ...about, status: 'passed', reason: '' }
  return { ...about, status: 'skipped', reason: ('note' in result && result.note) || '' }
}

const outside = (file: string | null, errors: readonly SerializedError[]): Outcome => ({
  file,
  title: 'outside of its tests',
  status: 'failed',
  reason: reasonOf(file, errors),
})

function reasonOf(file: string | null, errors: readonly SerializedError[]): string {
  const messages = errors.map(({ stack, message }) => shortened(stack ?? message)).join('\n')
  return file === null ? messages : `${messages}\n${repeat(file)}`
}
