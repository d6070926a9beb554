import { execFileSync, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { copyCheckout } from '../support/copy-checkout.ts'
import { type Mutant, readMutants, ROOT } from './mutants.ts'

/**
 * `make mutants`: plants one bug at a time in a copy of this checkout and runs the tests that must notice it, which are
 * green without it. A table at the end; exit code 1 when a bug was not noticed. `--only=WORD,WORD` plants those whose
 * name or path holds one of these. All random choices follow from one seed, which the last line names; `SEED=…` repeats them.
 */
const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } })

// of all runs of vitest, which inherit it: a random test that missed a bug can be repeated
const seed = (process.env['SEED'] ??= String(randomInt(2 ** 31)))
const copy = await mkdtemp(join(tmpdir(), 'prelude-mutants-'))

interface Result {
  readonly name: string
  readonly tests: readonly Named[]
}

/** A named test, and what it says when it is red. */
interface Named {
  readonly title: string
  readonly isRed: boolean
  readonly said: string
}

/** Without a bug none of the tests is red; else a red one would prove nothing. */
async function expectGreen(mutants: readonly Mutant[]): Promise<void> {
  const all = new Map(
    mutants.flatMap(({ noticedBy }) => noticedBy).map((test) => [`${test.file}: ${test.title}`, test]),
  )
  const red = (await run([...all.values()])).filter(({ isRed }) => isRed)
  if (red.length > 0)
    throw new Error(
      `red without any bug (SEED=${seed}):\n${red.map(({ title, said }) => `${title}: ${said}`).join('\n')}`,
    )
}

async function plant({ name, patch, noticedBy }: Mutant): Promise<Result> {
  const apply = (...how: readonly string[]): unknown =>
    execFileSync('git', ['apply', '--whitespace=nowarn', ...how, join(ROOT, patch)], { cwd: copy })
  apply()
  try {
    return { name, tests: await run(noticedBy) }
  } finally {
    apply('--reverse')
  }
}

interface Report {
  readonly testResults: readonly {
    readonly name: string
    readonly assertionResults: readonly {
      readonly title: string
      readonly status: string
      readonly failureMessages?: readonly string[]
    }[]
  }[]
}

async function run(tests: Mutant['noticedBy']): Promise<Named[]> {
  const report = join(copy, 'report.json')
  await rm(report, { force: true })
  const files = new Set(tests.map(({ file }) => file))
  const pattern = tests.map(({ title }) => title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')
  await vitest(['run', ...files, '-t', pattern, '--reporter=json', `--outputFile=${report}`])
  const { testResults } = JSON.parse(await readFile(report, 'utf8')) as Report
  return tests.map(({ file, title }) => {
    const inFile = testResults.filter((one) => one.name.endsWith(file)).flatMap((one) => one.assertionResults)
    // one that did not run, or was skipped since its file failed before it, noticed nothing and missed nothing either
    const found = inFile.filter((one) => one.title.includes(title) && /^(passed|failed)$/.test(one.status))
    if (found.length === 0) throw new Error(`"${title}" in ${file} did not run`)
    const failed = found.find(({ status }) => status === 'failed')
    return {
      title,
      isRed: failed !== undefined,
      said: failed?.failureMessages?.[0]?.split('\n').slice(0, 3).join(' ') ?? '',
    }
  })
}

function vitest(args: readonly string[]): Promise<void> {
  return new Promise((done) => {
    const child = spawn(join(copy, 'node_modules', '.bin', 'vitest'), args, {
      cwd: copy,
      env: { ...process.env, SOAK_SHRINK: 'off' },
      stdio: 'ignore',
    })
    child.on('close', () => done())
  })
}

function sentenceOf({ name, tests }: Result): string {
  const green = tests.filter(({ isRed }) => !isRed).map(({ title }) => title)
  return green.length === 0
    ? `noticed      ${name}`
    : `NOT NOTICED  ${name}: still green: ${green.join('; ')}`
}

const lineOf = ({ name, tests }: Result): string =>
  `| ${name} | ${tests.map(({ title, isRed }) => (isRed ? title : `(green) ${title}`)).join('; ')} |`

const tableOf = (results: readonly Result[]): string =>
  ['| planted bug | tests that turn red |', '| --- | --- |', ...results.map(lineOf)].join('\n')

try {
  const words = values.only.split(',')
  const mutants = readMutants().filter(({ name, patch }) =>
    words.some((word) => `${patch}: ${name}`.includes(word)),
  )
  await copyCheckout(copy)
  await expectGreen(mutants)
  const results: Result[] = []
  for (const mutant of mutants) {
    const result = await plant(mutant)
    results.push(result)
    process.stdout.write(`${sentenceOf(result)}\n`)
  }
  const missed = results.filter(({ tests }) => tests.some(({ isRed }) => !isRed))
  process.stdout.write(
    `\n${tableOf(results)}\n\n${results.length} bugs planted, ${missed.length} not noticed (SEED=${seed})\n`,
  )
  process.exitCode = missed.length === 0 ? 0 : 1
} finally {
  await rm(copy, { recursive: true, force: true })
}
