import { changedFiles } from './changes.ts'
import { limitCores } from './limit-cores.ts'
import { NO_REPORT, type Report } from './outcome.ts'
import { type Command, tests } from './run.ts'

const TIMES = 20
const CORES = 0.5
/** No file is begun after this long: the whole takes three minutes. */
const BEGIN_WITHIN_MS = 120_000

/**
 * `make steady`: runs the test files of the gate that the change adds or edits, twenty times each, in random order, with half
 * a core. Where there are more than three minutes allow it takes as many as it can, chosen by the seed, and names the others.
 */
export async function steady(seed: number): Promise<Report> {
  const changed = changedFiles().filter(
    (file) => /\.(test\.tsx?|e2e\.ts)$/.test(file) && !file.includes('.night.'),
  )
  const files = shuffled(changed, seed)
  if (files.length === 0) {
    process.stdout.write('no test file changed\n')
    return NO_REPORT
  }
  const release = await limitCores('steady', CORES)
  const began = performance.now()
  const reports: Report[] = []
  while (files.length > 0 && performance.now() - began < BEGIN_WITHIN_MS) {
    const file = files.shift() ?? ''
    reports.push(await tests(`steady/${file.replaceAll('/', '-')}`, commandFor(file, seed)))
  }
  await release()
  if (files.length > 0) process.stdout.write(`\nno time for ${files.length} more:\n${files.join('\n')}\n`)
  return {
    files: reports.flatMap(({ files }) => files),
    outcomes: reports.flatMap(({ outcomes }) => outcomes),
  }
}

/** For vitest the order of tests is random too; Playwright repeats each by itself. */
const commandFor = (file: string, seed: number): Command =>
  file.startsWith('infra/tests/e2e/')
    ? [
        'playwright',
        'test',
        '--config',
        'infra/tests/e2e',
        '--grep-invert=@night',
        `--repeat-each=${TIMES}`,
        file,
      ]
    : ['vitest', 'run', `--repeats=${TIMES - 1}`, '--sequence.shuffle.tests', `--sequence.seed=${seed}`, file]

/** In an order that follows from the seed (a linear congruential generator, as of Numerical Recipes). */
export function shuffled<T>(items: readonly T[], seed: number): T[] {
  let state = seed
  const next = (): number => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0)
  return items
    .map((item) => [next(), item] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, item]) => item)
}
