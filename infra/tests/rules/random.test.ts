import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

/** A random test can be repeated: all its choices follow from the seed of the run, which a failure prints. */

const ROOT = resolve(import.meta.dirname, '../../..')
const sources = globSync(['{gateway,web}/test/**/*.ts', 'services/*/test/**/*.ts', 'infra/**/*.ts'], {
  cwd: ROOT,
  exclude: ['**/node_modules/**', 'infra/tests/{rules,bench,mutants}/**'],
}).map((file) => ({ file, text: readFileSync(resolve(ROOT, file), 'utf8') }))
const count = (text: string, part: string): number => text.split(part).length - 1

test('every property is checked with the seed of the run', () => {
  const random = sources.filter(({ text }) => text.includes('fc.assert('))
  expect(random.length).toBeGreaterThan(8)
  const without = random.filter(
    ({ text }) => count(text, 'fc.assert(') !== count(text, "seed: inject('seed')"),
  )
  expect(without.map(({ file }) => file)).toEqual([])
})

test('no test draws random numbers from elsewhere', () => {
  expect(sources.filter(({ text }) => text.includes('Math.random')).map(({ file }) => file)).toEqual([])
})
