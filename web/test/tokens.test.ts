import { globSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { expect, test } from 'vitest'

/** The style sheets use the design tokens of ui/tokens.css. */

const SRC = resolve(import.meta.dirname, '../src')
const sheets = globSync('**/*.module.css', { cwd: SRC })

/** Declarations of matching properties in all style sheets, as `file: declaration`. */
const declared = (property: RegExp): string[] =>
  sheets.flatMap((file) =>
    [...readFileSync(`${SRC}/${file}`, 'utf8').matchAll(/([\w-]+): ([^;{}]+);/g)]
      .filter(([, name = '']) => property.test(name))
      .map(([all]) => `${file}: ${all.replaceAll(/\s+/g, ' ')}`),
  )

test('spacing uses tokens; fluid spacing is between multiples of 4 px', () => {
  const all = declared(/^((row|column)-)?gap$|^(padding|margin)(-|$)/)
  expect(all.length).toBeGreaterThan(100)
  const odd = all.filter((one) =>
    [...one.matchAll(/(\d+)px/g)].some(([, px]) => Number(px) > 2 && Number(px) % 4 > 0),
  )
  expect(odd).toEqual([])
  expect(all.filter((one) => !/(clamp|calc)\(/.test(one) && /[3-9]px|\d\dpx/.test(one))).toEqual([])
})

test('colours are tokens', () => {
  const all = declared(/color$|^background$|^border|^outline$/)
  expect(all.length).toBeGreaterThan(100)
  expect(all.filter((one) => /#[\da-f]{3,8}\b|\brgba?\(|\bhsla?\(/i.test(one))).toEqual([])
})

test('no list is without a marker: Safari would take it from screen readers', () => {
  const all = [...sheets, 'ui/tokens.css'].map((file) => readFileSync(`${SRC}/${file}`, 'utf8')).join('\n')
  const rules = all.match(/[^{}\n]+\{[^{}]*list-style(-type)?: none/g) ?? []
  expect(rules.map((rule) => rule.split(' ', 1)[0])).toEqual(['summary'])
})

test('every token in use is defined', () => {
  const tokens = readFileSync(`${SRC}/ui/tokens.css`, 'utf8')
  const used = new Set(
    sheets.flatMap(
      (file) => readFileSync(`${SRC}/${file}`, 'utf8').match(/--(space|type|font)-[\w-]+/g) ?? [],
    ),
  )
  expect(used.size).toBeGreaterThan(15)
  expect([...used].filter((name) => !tokens.includes(`${name}:`))).toEqual([])
})

test('there are three breakpoints', () => {
  const all = [...sheets, 'ui/tokens.css'].flatMap(
    (file) => readFileSync(`${SRC}/${file}`, 'utf8').match(/@media [^{]*width[^{)]*/g) ?? [],
  )
  expect(new Set(all.flatMap((query) => query.match(/\d+px|width:/g)))).toEqual(
    new Set(['560px', '900px', '1180px']),
  )
})

test('components take from their sheets classes that are there, and all of them', () => {
  const components = globSync('**/*.tsx', { cwd: SRC }).map((file) => ({
    folder: dirname(`${SRC}/${file}`),
    source: readFileSync(`${SRC}/${file}`, 'utf8'),
  }))
  const wrong = sheets.flatMap((sheet) => {
    const rules = readFileSync(`${SRC}/${sheet}`, 'utf8').replaceAll(/\/\*.*?\*\/|:global\([^)]*\)/gs, '')
    const defined = new Set([...rules.matchAll(/\.([a-z][\w-]*)(?=[^{};]*\{)/gi)].map(([, name]) => name))
    const users = components.flatMap(({ folder, source }) =>
      [...source.matchAll(/import (\w+) from '(.*\.module\.css)'/g)]
        .filter(([, , path = '']) => resolve(folder, path) === `${SRC}/${sheet}`)
        .map(([, alias = '']) => ({ alias, source: source.replaceAll(/^import .*/gm, '') })),
    )
    const taken = users.flatMap(({ alias, source }) =>
      [...source.matchAll(new RegExp(`\\b${alias}\\.(\\w+)`, 'g'))].map(([, name]) => name),
    )
    const dynamic = users
      .flatMap(({ alias, source }) => (source.includes(`${alias}[`) ? [source] : []))
      .join()
    return [
      ...taken.filter((name) => !defined.has(name)).map((name) => `${sheet}: no .${name}`),
      ...[...defined]
        .filter((name) => !taken.includes(name) && !new RegExp(`\\b${name}\\b`).test(dynamic))
        .map((name) => `${sheet}: unused .${name}`),
    ]
  })
  expect(wrong).toEqual([])
})
