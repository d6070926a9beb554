import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

/** Words of the sources: terms of the field, and references to decisions that exist. */

const ROOT = resolve(import.meta.dirname, '../../..')
const OWN = 'infra/tests/rules/terms.test.ts'

/** Words without a use here: a person or a program has a name, and a message is received. */
const UNUSED = [
  /\b(whoever|anew|crowd|patience)\b/i,
  /\b(is|was|are|were|be|being)( \w+)? told\b/i,
  /\b(hear|hears|heard) (of|first)\b/i,
  /\blet go of\b/i,
]

/** The web app's texts are sentences for people. */
const files = globSync(
  ['{gateway,services,infra}/**/*.{ts,sql,yml,yaml}', 'docs/**/*.md', '*.md', '.env.example', 'Makefile'],
  { cwd: ROOT, exclude: ['**/node_modules/**'] },
).filter((file) => file !== OWN)
const sources = globSync('{gateway,services,infra,web}/**/*.{ts,tsx,sql}', {
  cwd: ROOT,
  exclude: ['**/node_modules/**', '**/dist/**'],
}).filter((file) => file !== OWN)

const unusedIn = (text: string): string[] => UNUSED.flatMap((word) => word.exec(text)?.[0] ?? [])
const read = (file: string): string => readFileSync(resolve(ROOT, file), 'utf8')
const numbers = new Set(
  globSync('docs/decisions/*.md', { cwd: ROOT }).map((file) => Number(/(\d{4})-/.exec(file)?.[1])),
)
/** The numbers of the decisions that a text names: "decision 29", "docs/decisions/0061". */
const decisionsIn = (text: string): number[] =>
  [...text.matchAll(/\bdecisions? (\d+)|\bdecisions\/(\d{4})/gi)].map(([, one, other]) =>
    Number(one ?? other),
  )

test('words that say less than a term of the field are not used', () => {
  expect(files.length).toBeGreaterThan(500)
  expect(files.flatMap((file) => unusedIn(read(file)).map((word) => `${file}: ${word}`))).toEqual([])
})

test('a decision that the code names exists', () => {
  const named = sources.flatMap((file) => decisionsIn(read(file)).map((number) => [file, number] as const))
  expect(named.length).toBeGreaterThan(5)
  expect(named.filter(([, number]) => !numbers.has(number))).toEqual([])
})

test('words and decisions are found', () => {
  expect(unusedIn('-- whoever has it; the service is still told')).toEqual(['whoever', 'is still told'])
  expect(decisionsIn('(decision 9), docs/decisions/0061-schemas.md')).toEqual([9, 61])
})
