import { parseArgs } from 'node:util'
import { ServerMissing } from '../servers/server-missing.ts'
import { GATE, NIGHT, type Step } from './steps.ts'

/**
 * `node infra/tests/prepare-machine/main.ts`: installs what the tests of the gate need and npm does not bring, with `--night` also
 * what the others need. What is there is left as it is. Tests install nothing: without it they are skipped, and say so. Exit
 * code 1 with the names of what could not be had.
 */
const { values } = parseArgs({ options: { night: { type: 'boolean', default: false } } })

/** Why something is not there, or null. */
const whyNot = async (work: () => unknown): Promise<string | null> => {
  try {
    await work()
    return null
  } catch (error) {
    if (!(error instanceof ServerMissing)) throw error
    return error.message
  }
}

async function prepare({ name, find, install }: Step): Promise<string | null> {
  if ((await whyNot(find)) === null) return null
  process.stdout.write(`installing ${name}\n`)
  return (await whyNot(install)) ?? whyNot(find)
}

const failed: string[] = []
for (const step of values.night ? [...GATE, ...NIGHT] : GATE) {
  const problem = await prepare(step)
  if (problem !== null) failed.push(`${step.name}: ${problem}`)
}
if (failed.length > 0) {
  process.stderr.write(`could not be had:\n${failed.map((line) => `  ${line}\n`).join('')}`)
  process.exitCode = 1
}
