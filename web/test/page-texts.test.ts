import './browser.ts'
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { PERSON_CATALOGUES, VISITOR_CATALOGUES } from '../src/languages.ts'

const SRC = resolve(import.meta.dirname, '../src')
const read = (file: string): string => readFileSync(file, 'utf8')

/** The modules that are loaded with some, by their static imports. */
function loadedWith(files: Iterable<string>, found = new Set<string>()): Set<string> {
  for (const file of files) {
    if (found.has(file) || !/\.tsx?$/.test(file)) continue
    found.add(file)
    const imports = read(file).matchAll(/^(?:import|export)(?! type)\b[^;]*?from '(\..+)'$/gm)
    loadedWith(
      Array.from(imports, ([, path = '']) => resolve(dirname(file), path)),
      found,
    )
  }
  return found
}

/** The texts that modules read, by their first key. */
const textsOf = (files: Iterable<string>): string[] =>
  [...loadedWith(files)].flatMap((file) => {
    const source = read(file)
    const members = [...source.matchAll(/(?<![.\w/])messages\.(?!ts)(\w+)/g)].map(([, key = '']) => key)
    const parts = [...source.matchAll(/\{([^{}=]+)\} = messages$/gm)].flatMap(([, keys = '']) =>
      keys.split(','),
    )
    return [...members, ...parts.map((key) => key.trim())].filter((key) => key !== '')
  })

/** The pages and overlays of the routes that are made by these functions. */
const made = (by: RegExp): string[] =>
  [...read(`${SRC}/routes.tsx`).matchAll(/(\w+)\(\s*\(\) => import\('(.+)'\)/g)].flatMap(
    ([, name = '', path = '']) => (by.test(name) ? [resolve(SRC, path)] : []),
  )

test('pages read only texts that are loaded with them', async () => {
  const visitor = Object.keys(await VISITOR_CATALOGUES['en']!())
  const person = [...visitor, ...Object.keys(await PERSON_CATALOGUES['en']!())]
  const open = textsOf([`${SRC}/main.tsx`, `${SRC}/share.tsx`, ...made(/^page$/)])
  const own = textsOf(made(/^(person|withTexts)/))
  expect([open, own].map((texts) => texts.length > 50)).toEqual([true, true])
  expect(open.filter((key) => !visitor.includes(key))).toEqual([])
  expect(own.filter((key) => !person.includes(key))).toEqual([])
})
