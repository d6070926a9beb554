import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createVitest } from 'vitest/node'
import { AREAS } from './areas.ts'
import { buffered } from './run.ts'
import { type Outcome, runSuite } from './suite.ts'
import { summarize } from './summary.ts'

// each case runs vitest as a process of its own
vi.setConfig({ testTimeout: 120_000 })

const PACKAGES = resolve(import.meta.dirname, '../../../node_modules')

/** Runs a suite of one file, in a folder of its own. */
async function outcomesOf(source: string) {
  const folder = await mkdtemp(join(tmpdir(), 'prelude-runner-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await mkdir(join(folder, 'node_modules'))
  await symlink(join(PACKAGES, 'vitest'), join(folder, 'node_modules/vitest'))
  await writeFile(join(folder, 'one.test.ts'), source)
  const config = join(folder, 'vitest.config.js')
  await writeFile(config, `export default { test: { root: ${JSON.stringify(folder)} } }`)
  return runSuite({ name: 'one', config, only: [] }, 7, folder, buffered())
}

function verdictOn(outcomes: readonly Outcome[], strict = true) {
  let printed = ''
  const print = (text: string) => void (printed += text)
  const code = summarize(outcomes, { seconds: 61, strict, print })
  return { code, printed, last: printed.trimEnd().split('\n').at(-1) }
}

const TESTS = `
  import { existsSync, writeFileSync } from 'node:fs'
  import { expect, test } from 'vitest'
  const ran = new URL('ran', import.meta.url)
  const isSecond = existsSync(ran)
  writeFileSync(ran, '')
  test('is good', () => {})`

test('a test that fails and passes when it is run again fails the run, with the command that repeats it', async () => {
  const outcomes = await outcomesOf(`${TESTS}; test('is unsteady', () => expect(isSecond).toBe(true))`)
  const { code, printed, last } = verdictOn(outcomes)
  expect([code, last]).toEqual([1, '1 passed, 1 failed'])
  expect(printed).toMatch(
    /is unsteady\n[^]*repeat it with: SEED=7 npx vitest run .*one\.test\.ts\n.*look for a race/,
  )
})

test('a test that fails twice, a file that cannot be loaded and a failed hook fail the run', async () => {
  const twice = await outcomesOf(`${TESTS}; test('is bad', () => expect(1).toBe(2))`)
  expect(verdictOn(twice)).toMatchObject({ code: 1, last: '1 passed, 1 failed' })
  expect(verdictOn(twice).printed).not.toContain('look for a race')
  expect(verdictOn(await outcomesOf(`throw new Error('no')`)).last).toBe('0 passed, 1 failed')
  const hook = `${TESTS}; import { afterAll } from 'vitest'; afterAll(() => { throw new Error('no') })`
  expect(verdictOn(await outcomesOf(hook)).last).toBe('1 passed, 1 failed')
})

test('a skipped test is counted, and fails the run where CI is set', async () => {
  const outcomes = await outcomesOf(
    `${TESTS}; test.skip('is skipped', () => {}); test.todo('is to be written')`,
  )
  expect(verdictOn(outcomes)).toMatchObject({ code: 1, last: '1 passed, 0 failed, 2 skipped' })
  expect(verdictOn(outcomes).printed).toMatch(/fails this run[^]*one\.test\.ts: is skipped/)
  expect(verdictOn(outcomes, false)).toMatchObject({ code: 0, last: '1 passed, 0 failed, 2 skipped' })
})

test('a run without a test, and an error outside of the tests, fail', async () => {
  expect(verdictOn(await outcomesOf('')).code).toBe(1)
  const unhandled = `${TESTS}; test('leaves an error', async () => { void Promise.reject(new Error('later')); await new Promise((done) => setTimeout(done, 50)) })`
  expect(verdictOn(await outcomesOf(unhandled))).toMatchObject({ code: 1, last: '2 passed, 1 failed' })
})

test('the slowest tests come first, with their seconds', () => {
  const outcome = (title: string, seconds: number): Outcome => ({
    title,
    seconds,
    status: 'passed',
    file: null,
    reason: '',
  })
  const { printed } = verdictOn([outcome('quick', 0.1), outcome('slow', 12.34)])
  expect(printed).toMatch(
    /== slowest\n +12\.3 s {2}slow\n +0\.1 s {2}quick\n[^]*It took 1 min 1 s\.\n2 passed, 0 failed\n$/,
  )
})

test.for(Object.entries(AREAS))(
  'AREA=%s selects test files by each path that it names',
  async ([, suites]) => {
    for (const { config, only } of suites) {
      const vitest = await createVitest('test', { config: resolve(config), run: true })
      try {
        for (const part of only.length > 0 ? only : [''])
          expect([part, await vitest.globTestSpecifications([part])]).not.toEqual([part, []])
      } finally {
        await vitest.close()
      }
    }
  },
)
