import { globSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { MUTANTS } from '../mutants/mutants.ts'

/** `make mutants` runs only every night; here a change that makes a planted bug stale is noticed at once. */

const ROOT = resolve(import.meta.dirname, '../../..')
const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8')

/** Titles in the source of a test file and of the conformance suites beside it. */
function titlesIn(file: string): string[] {
  const files = [file, ...globSync(join(dirname(file), 'conformance/*.ts'), { cwd: ROOT })]
  const literals = files
    .map(textOf)
    .join('\n')
    .matchAll(/(?:\btest|\))\(\s*(['"`])((?:\\.|(?!\1).)+)\1/g)
  return [...literals].map(([, , title = '']) => title)
}

/** Conformance suites prefix titles with their name. Of a title only the text before its first placeholder is compared. */
function mayBegin(title: string, beginning: string): boolean {
  const [head = '', ...rest] = title.replace(/^\$\{name\}: /, '').split(/%[sijd]|\$\{/)
  const beginnings = [beginning, beginning.replace(/^[^:]*: /, '')]
  return beginnings.some((one) => head.startsWith(one) || (rest.length > 0 && one.startsWith(head)))
}

test('the text that a planted bug replaces is in its file exactly once', () => {
  expect(MUTANTS.length).toBeGreaterThan(90)
  const stale = MUTANTS.flatMap(({ name, edits }) =>
    edits.filter(({ file, from }) => textOf(file).split(from).length !== 2).map(({ file }) => [name, file]),
  )
  expect(stale).toEqual([])
})

test('the tests that a planted bug names exist', () => {
  const missing = MUTANTS.flatMap(({ name, red }) =>
    Object.entries(red).flatMap(([file, beginnings]) => {
      const titles = titlesIn(file)
      return beginnings
        .filter((beginning) => !titles.some((title) => mayBegin(title, beginning)))
        .map((beginning) => [name, file, beginning])
    }),
  )
  expect(missing).toEqual([])
})
