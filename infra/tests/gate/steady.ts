import { changedFiles } from './changes.ts'
import { limitCores } from './limit-cores.ts'
import { NO_REPORT, type Report } from './outcome.ts'
import { type Command, tests } from './run.ts'

const TIMES = 20
/** Of a file without a product of its own, in one process: starting that costs more than the tests. */
const AT_ONCE = 5
const CORES = 0.5
/** None is begun that would end later, judged by the slowest so far. */
const LIMIT_MS = 180_000

interface Run {
  readonly file: string
  readonly times: number
}

/**
 * `make steady`: runs the test files of the gate that the change adds or edits, twenty times each, in random order, with half
 * a core. Where that takes more than three minutes, all run less often, and it says how often.
 */
export async function steady(seed: number): Promise<Report> {
  const changed = changedFiles().filter(
    (file) => /\.(test\.tsx?|e2e\.ts)$/.test(file) && !file.includes('.night.'),
  )
  if (changed.length === 0) {
    process.stdout.write('no test file changed\n')
    return NO_REPORT
  }
  const release = await limitCores('steady', CORES)
  const began = performance.now()
  let slowest = 0 // ms of one time
  const done = new Map(changed.map((file) => [file, 0]))
  const reports: Report[] = []
  for (const { file, times } of runsOf(rotated(changed, seed))) {
    const start = performance.now()
    if (start - began + slowest * times > LIMIT_MS) break
    const name = `steady/${file.replaceAll('/', '-')}`
    // all tests of a browser file may be those of the night
    const command = commandFor({ file, times }, seed + reports.length)
    reports.push(await tests(name, command, { mayBeEmpty: isBrowser(file) }))
    slowest = Math.max(slowest, (performance.now() - start) / times)
    done.set(file, (done.get(file) ?? 0) + times)
  }
  await release()
  for (const [file, times] of done) process.stdout.write(`${times} of ${TIMES} times: ${file}\n`)
  return {
    files: reports.flatMap(({ files }) => files),
    outcomes: reports.flatMap(({ outcomes }) => outcomes),
  }
}

/** Begun elsewhere by another seed, since there may be no time for the last ones. */
const rotated = <T>(items: readonly T[], seed: number): T[] => {
  const first = seed % items.length
  return [...items.slice(first), ...items.slice(0, first)]
}

const isBrowser = (file: string): boolean => file.endsWith('.e2e.ts')

/** All files once, then all again, until each has run twenty times. */
const runsOf = (files: readonly string[]): Run[] =>
  Array.from({ length: TIMES }, (_, round) => round).flatMap((round) =>
    files.flatMap((file) => {
      if (round === 0 || /^infra\/tests\/(e2e|native|system)\//.test(file)) {
        return [{ file, times: 1 }]
      }
      if (round % AT_ONCE !== 1) return []
      return [{ file, times: Math.min(AT_ONCE, TIMES - round) }]
    }),
  )

/** vitest shuffles the tests of a file; those of a browser file are in order. On an engine a file runs at night. */
const commandFor = ({ file, times }: Run, seed: number): Command =>
  isBrowser(file)
    ? [
        'playwright',
        'test',
        '--config',
        'infra/tests/e2e',
        '--grep-invert=@night',
        '--pass-with-no-tests',
        file,
      ]
    : [
        ...(['vitest', 'run', '--project=!containers', `--repeats=${times - 1}`] as const),
        ...['--sequence.shuffle.tests', `--sequence.seed=${seed}`, file],
      ]
