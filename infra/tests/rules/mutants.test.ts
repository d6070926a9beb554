import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { readMutants, ROOT, sourcesOf } from '../mutants/mutants.ts'

/** `make mutants` runs only every night; here a change that makes a planted bug stale is noticed at once. */

const MUTANTS = readMutants()
const AT_ONCE = 8

test('every planted bug can be planted', async () => {
  expect(MUTANTS.length).toBeGreaterThan(90)
  const waiting = [...MUTANTS]
  const stale: string[] = []
  const check = async (): Promise<void> => {
    for (let one = waiting.pop(); one; one = waiting.pop()) {
      const args = ['apply', '--check', one.patch]
      await promisify(execFile)('git', args, { cwd: ROOT }).catch(({ stderr }: { stderr: string }) =>
        stale.push(stderr),
      )
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, check))
  expect(stale).toEqual([])
})

test('every planted bug has a name, and names tests that exist', () => {
  const texts = new Map<string, string>()
  const textOf = (file: string): string => {
    const text =
      texts.get(file) ??
      sourcesOf(file)
        .map((one) => readFileSync(join(ROOT, one), 'utf8'))
        .join('\n')
    texts.set(file, text)
    return text
  }
  expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length)
  expect(MUTANTS.filter(({ noticedBy }) => noticedBy.length === 0)).toEqual([])
  const missing = MUTANTS.flatMap(({ patch, noticedBy }) =>
    noticedBy.filter(({ file, title }) => !textOf(file).includes(title)).map((one) => ({ patch, ...one })),
  )
  expect(missing).toEqual([])
})
