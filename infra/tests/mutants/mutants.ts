import { globSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/**
 * Planted bugs, each a patch of the product: `<area>/<what it breaks>.patch`. The text before the diff is its name in the first
 * line, and a line for each test that must turn red: `Noticed by: <file>: <part of the title>`. A patch that no longer applies
 * is made again: make the edit, `git diff -U1 > …`, keep the lines above the diff.
 */
export interface Mutant {
  readonly name: string
  /** Path of the patch, from the root. */
  readonly patch: string
  readonly noticedBy: readonly { readonly file: string; readonly title: string }[]
}

export const ROOT = resolve(import.meta.dirname, '../../..')

export function readMutants(): Mutant[] {
  const patches = globSync('infra/tests/mutants/*/*.patch', { cwd: ROOT }).toSorted()
  return patches.map((patch) => {
    const [header = ''] = readFileSync(join(ROOT, patch), 'utf8').split('\ndiff --git ', 1)
    const [name = '', ...lines] = header.split('\n')
    const noticedBy = lines.flatMap((line) => {
      const [, file, title] = /^Noticed by: (\S+): (.+)$/.exec(line) ?? []
      return file && title ? [{ file, title }] : []
    })
    return { name, patch, noticedBy }
  })
}

/** The files whose source holds the titles of a test file: also the conformance suites beside it. */
export const sourcesOf = (file: string): string[] => [
  file,
  ...globSync(join(dirname(file), 'conformance/*.ts'), { cwd: ROOT }),
]
