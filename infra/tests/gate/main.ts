import { randomInt } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { AREAS, guardsOf } from './areas.ts'
import { changedFiles } from './changes.ts'
import { ageOfNights, hasPassed, recordNight } from './night-record.ts'
import { type Part, PARTS } from './nights.ts'
import type { Outcome, Report } from './outcome.ts'
import { comparedWithParent } from './parent.ts'
import { readQuarantine } from './quarantine.ts'
import { check, type Command, REPORTS, tests } from './run.ts'
import { steady } from './steady.ts'
import { summarize, table } from './summary.ts'

/**
 * What every change must pass (`make test`), a part of it (`AREA=credits`), the static checks alone (`make check`), changed tests
 * twenty times (`make steady`), and what runs at night (`make test-nightly`, `PART=drills`). Lists what was slow, skipped or
 * failed, and ends with "N passed, N failed".
 */

const began = performance.now()
const seed = (process.env['SEED'] ??= String(randomInt(2 ** 31)))
const browser: Command = ['playwright', 'test', '--config', 'infra/tests/e2e', '--grep-invert=@night']
const vitest = (...args: string[]): Command => [
  'vitest',
  'run',
  ...(process.env['SHUFFLE'] ? ['--sequence.shuffle', `--sequence.seed=${seed}`] : []),
  ...args,
]

const [mode = 'gate', name = ''] = process.argv.slice(2)
const report = await {
  gate,
  static: async () => merged([await staticChecks(), await tests('rules', vitest('--project=rules'))]),
  area: () => area(name),
  steady: () => steady(Number(seed)),
  nightly: () => nightly(name),
}[mode as 'gate' | 'static' | 'area' | 'steady' | 'nightly']()

mkdirSync(REPORTS, { recursive: true })
writeFileSync(`${REPORTS}/slowest-${mode}.txt`, table(report.files).join('\n'))
if (mode === 'gate') await printAdvice()
process.exitCode = summarize(report, {
  seconds: (performance.now() - began) / 1_000,
  strict: process.env['CI'] === 'true',
  quarantine: readQuarantine(),
  now: Date.now(),
  print: (text) => void process.stdout.write(text),
})

/** The quickest answers come first. */
async function gate(): Promise<Report> {
  return merged([
    await staticChecks(),
    await tests('unit', vitest('--project=rules', '--project=unit', '--project=web')),
    await tests('product', vitest('--project=system', '--project=api', '--project=servers')),
    await tests('browser', browser),
  ])
}

async function staticChecks(): Promise<Report> {
  const kept = ['--incremental', '--tsBuildInfoFile', 'node_modules/.cache/typecheck.json']
  const outcomes = await Promise.all([
    check('type check', ['tsc', '--noEmit', ...kept]),
    check('lint', ['oxlint', '--type-aware', '--deny-warnings']),
    check('format', ['oxfmt', '--check', '.']),
  ])
  return { files: [], outcomes }
}

async function area(name: string): Promise<Report> {
  const found = AREAS[name]
  if (!found)
    return name in PARTS ? nightly(name) : unknown('AREA', [...Object.keys(AREAS), ...Object.keys(PARTS)])
  const { vitest: files, browser: pages } = found
  const projects = ['rules', 'unit', 'web', 'system', 'api', 'servers'].map(
    (project) => `--project=${project}`,
  )
  return merged([
    ...(files ? [await tests(name, vitest(...projects, ...files))] : []),
    ...(pages ? [await tests(`${name}-browser`, [...browser, ...pages])] : []),
  ])
}

/** One part, or all that have not passed on this code yet, so that a run which was ended goes on where it stopped. */
async function nightly(name: string): Promise<Report> {
  if (name !== '' && !(name in PARTS)) return unknown('PART', Object.keys(PARTS))
  const reports: Report[] = []
  for (const [title, part] of Object.entries(PARTS)) {
    if (name === '' ? hasPassed(title) : title !== name) continue
    const start = performance.now()
    const report = merged(await runPart(title, part))
    if (report.outcomes.every(({ status }) => status === 'passed'))
      recordNight(title, (performance.now() - start) / 1_000)
    reports.push(report)
  }
  return merged(reports)
}

async function runPart(title: string, { tests: commands = [], checks = {}, env }: Part): Promise<Report[]> {
  const reports: Report[] = []
  for (const command of commands) reports.push(await tests(title, command, { ...(env && { env }) }))
  for (const [one, command] of Object.entries(checks))
    reports.push({ files: [], outcomes: [await check(one, command)] })
  return reports
}

function unknown(variable: string, names: readonly string[]): Report {
  const reason = `${variable} is one of ${names.join(', ')}`
  const outcome: Outcome = { file: null, title: variable, status: 'failed', reason }
  return { files: [], outcomes: [outcome] }
}

/** Prints the age of the night, which parts of it guard this change, and whether a single red is older than the change. */
async function printAdvice(): Promise<void> {
  const say = (line: string): void => void process.stdout.write(line && `\n${line}\n`)
  say(ageOfNights(Date.now()))
  for (const part of guardsOf(changedFiles()))
    say(`This change touches what only the night guards: run make test AREA=${part}`)
  const [red, ...others] = report.outcomes.filter(({ status }) => status === 'failed')
  if (red && others.length === 0) say(await comparedWithParent(red))
}

function merged(reports: readonly Report[]): Report {
  return {
    files: reports.flatMap(({ files }) => files),
    outcomes: reports.flatMap(({ outcomes }) => outcomes),
  }
}
