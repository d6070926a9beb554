import { randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AREAS, SUITES } from './areas.ts'
import { buffered, type Running, terminal } from './run.ts'
import { BOUNDARIES, runChecks } from './static.ts'
import { type Outcome, runSuite, type Suite } from './suite.ts'
import { summarize } from './summary.ts'

/**
 * `make test`: runs the static checks and every test suite; then lists what was slow, skipped or failed, and prints one line
 * with the totals. `AREA=credits` runs the suites of one area. `make check` (argument `static`): the static checks only.
 */

const began = Date.now()
const seed = (process.env['SEED'] ??= String(randomInt(2 ** 31)))
const folder = await mkdtemp(join(tmpdir(), 'prelude-check-'))
const runOne = async (suite: Suite, output: Running = terminal): Promise<Outcome[]> =>
  runSuite(suite, Number(seed), await mkdtemp(join(folder, 'suite-')), output)

const outcomes = await (process.argv[2] === 'static'
  ? runChecks(BOUNDARIES)
  : tests(process.env['AREA'] ?? ''))
await rm(folder, { recursive: true, force: true })
process.exitCode = summarize(outcomes, {
  seconds: (Date.now() - began) / 1_000,
  strict: process.env['CI'] === 'true',
  print: terminal.stdout,
})

async function tests(area: string): Promise<Outcome[]> {
  if (area === '') return everything()
  const suites = AREAS[area]
  if (suites) return inOrder(suites)
  const reason = `AREA is one of ${Object.keys(AREAS).join(', ')}`
  return [{ title: `AREA=${area}`, status: 'failed', seconds: 0, file: null, reason }]
}

async function everything(): Promise<Outcome[]> {
  const { unit, api, native, browser, engines, containers } = SUITES
  const first = [...(await runChecks()), ...(await runOne(unit)), ...(await runOne(api))]
  // not in parallel with another suite, since it uses both cores; the adapters' tests run in `native`
  const product = { ...containers, only: ['infra/tests/containers/compose'] }
  if (process.env['SERVERS'] === 'native')
    terminal.stdout(`\n== not run: ${containers.name}, since SERVERS=native\n`)
  else first.push(...(await runOne(product)))
  // small ones, so that all lanes end at nearly the same time
  const shards = [1, 2, 3, 4, 5, 6].map((n): Suite => ({ ...browser, shard: `${n}/6` }))
  // a container that starts or stops changes the machine's network addresses, for which Chromium drops requests under way
  const processes = { ...native, env: { SERVERS: 'native' } }
  return [...first, ...(await inLanes([processes, engines, ...shards]))]
}

/**
 * Three at a time on two cores: each runs one file after the other, and the tests on real servers wait more than they work.
 * More slow each other down, since a test that waits polls.
 */
async function inLanes(suites: readonly Suite[]): Promise<Outcome[]> {
  const waiting = [...suites]
  const outcomes: Outcome[] = []
  const lane = async (): Promise<void> => {
    for (let suite = waiting.shift(); suite; suite = waiting.shift()) {
      const output = buffered()
      outcomes.push(...(await runOne(suite, output)))
      output.show()
    }
  }
  await Promise.all([lane(), lane(), lane()])
  return outcomes
}

async function inOrder(suites: readonly Suite[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const suite of suites) outcomes.push(...(await runOne(suite)))
  return outcomes
}
