import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { NO_REPORT, type Outcome, readReport, removeReport, REPORT, type Report } from './outcome.ts'

export const REPORTS = 'artifacts/reports'

/** A command of `node_modules`, or `node` with a file of the checkout. */
export type Command = readonly [program: string, ...args: string[]]

export interface Ran {
  readonly code: number
  readonly output: string
  readonly seconds: number
}

/** Runs a command, whose output is shown as it comes, or with `quiet` only answered. */
export function run(
  [program, ...args]: Command,
  {
    env = {},
    quiet = false,
    cwd = '.',
  }: { env?: Readonly<Record<string, string>>; quiet?: boolean; cwd?: string } = {},
): Promise<Ran> {
  const began = performance.now()
  return new Promise((resolve) => {
    let output = ''
    const child = spawn(join('node_modules', '.bin', program), args, {
      cwd,
      stdio: quiet ? ['ignore', 'pipe', 'pipe'] : 'inherit',
      env: { ...process.env, ...env },
    })
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (output += text))
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (output += text))
    const end = (code: number): void =>
      resolve({ code, output, seconds: (performance.now() - began) / 1_000 })
    child.on('error', ({ message }) => {
      output += message
      end(1)
    })
    child.on('close', (code) => end(code ?? 1))
  })
}

/** Runs a command as one check: its output is shown when it ends. */
export async function check(title: string, command: Command): Promise<Outcome> {
  const { code, output, seconds } = await run(command, { quiet: true })
  const status = code === 0 ? 'passed' : 'failed'
  process.stdout.write(`== ${title}: ${status} in ${seconds.toFixed(0)} s\n${code === 0 ? '' : output}`)
  return { file: null, title, status, reason: code === 0 ? '' : 'see its output above' }
}

/** Runs tests by vitest or Playwright, and answers the report that their reporter of this folder wrote. A run without a test fails. */
export async function tests(
  name: string,
  command: Command,
  { env = {}, mayBeEmpty = false }: { env?: Readonly<Record<string, string>>; mayBeEmpty?: boolean } = {},
): Promise<Report> {
  process.stdout.write(`\n== ${name}\n`)
  const path = join(REPORTS, `${name}.json`)
  removeReport(path)
  const { code, seconds } = await run(command, { env: { ...env, [REPORT]: path } })
  process.stdout.write(`== ${name}: ${seconds.toFixed(0)} s\n`)
  const { files, outcomes } = readReport(path) ?? NO_REPORT
  // an exit code without a failed test is that of a crash
  const isExplained =
    code === 0 ? mayBeEmpty || outcomes.length > 0 : outcomes.some(({ status }) => status === 'failed')
  if (isExplained) return { files, outcomes }
  const reason = outcomes.length === 0 ? 'it ran no test' : `it ended with ${code}`
  return { files, outcomes: [...outcomes, { file: null, title: name, status: 'failed', reason }] }
}
