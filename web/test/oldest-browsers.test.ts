import type { CompatData, CompatStatement, Identifier } from '@mdn/browser-compat-data'
import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { OLDEST_BROWSERS } from '../build/oldest-browsers.ts'

/** What the app uses of browsers, and of the language beyond its syntax, is there in the oldest browsers that it is built for. */

// by Node, since vitest takes seconds to transform it
const bcd = createRequire(import.meta.url)('@mdn/browser-compat-data') as CompatData
const builtins = bcd.javascript['builtins'] ?? {}
const { properties = {}, 'at-rules': atRules = {} } = bcd.css
const ROOT = resolve(import.meta.dirname, '../..')
const OLDEST = {
  ...OLDEST_BROWSERS,
  chrome_android: OLDEST_BROWSERS.chrome,
  safari_ios: OLDEST_BROWSERS.safari,
}

/** Newer, and the page is in use without. */
const DISPENSABLE = new Set([
  'content-visibility',
  'contain-intrinsic-height',
  'text-wrap',
  'accent-color',
  'resize',
  // a browser without forced colours ignores it
  'forced-color-adjust',
  // the time limit of a request ends it there too, under another name
  'AbortSignal.timeout',
])

/** The version that has it first, without a flag or prefix; infinite for one that has it not. */
function since({ support }: CompatStatement, browser: keyof typeof OLDEST): number {
  const all = [support[browser] ?? []].flat()
  const versions = all
    .filter(({ flags, prefix, alternative_name: other }) => !flags && !prefix && !other)
    .map(({ version_added: added }) => Number.parseFloat(String(added).replace('≤', '')))
  return Math.min(...versions.map((version) => (Number.isNaN(version) ? Infinity : version)))
}

const isTooNew = ({ __compat: known }: Identifier): boolean =>
  known !== undefined &&
  (Object.keys(OLDEST) as (keyof typeof OLDEST)[]).some(
    (browser) => since(known, browser) > Number(OLDEST[browser]),
  )

/** Objects of the language whose methods have names that ours have too. */
const LIKE_OURS = new Set(['Iterator', 'DisposableStack', 'AsyncDisposableStack', 'Atomics'])
/** Methods of all others by name; that of the object which has it first. */
const METHODS = new Map<string, Identifier>()
for (const [name, object] of Object.entries<Identifier>(builtins as Record<string, Identifier>))
  for (const [method, known] of Object.entries(object as Record<string, Identifier>))
    if (!LIKE_OURS.has(name) && !(METHODS.has(method) && !isTooNew(METHODS.get(method)!)))
      METHODS.set(method, known)

/** The parts of a source that browsers describe, as `Promise.withResolvers`, `new Worker` and `text-wrap`. */
function* used(file: string, text: string): Generator<[name: string, known: Identifier | undefined]> {
  if (file.endsWith('.css')) {
    for (const [, name = ''] of text.matchAll(/[{;]\s*([a-z-]+)\s*:/g)) yield [name, properties[name]]
    for (const [, name = ''] of text.matchAll(/@([a-z-]+)/g)) yield [`@${name}`, atRules[name]]
    return
  }
  const of = (name: string): Identifier | undefined => builtins[name] ?? bcd.api[name]
  for (const [, name = '', member = ''] of text.matchAll(/\b([A-Z]\w+)\.(\w+)/g))
    yield [`${name}.${member}`, of(name)?.[`${member}_static`] ?? builtins[name]?.[member]]
  for (const [, name = ''] of text.matchAll(/\bnew ([A-Z]\w+)/g)) yield [`new ${name}`, of(name)]
  for (const [, name = ''] of text.matchAll(/\.(\w+)\(/g)) yield [`.${name}()`, METHODS.get(name)]
}

const tooNew = (file: string, text: string): string[] =>
  [...used(file, text.replaceAll(/\/\*.*?\*\//gs, '').replaceAll(/(?<!:)\/\/.*/g, ''))].flatMap(
    ([name, known]) => (known && isTooNew(known) && !DISPENSABLE.has(name) ? [`${file}: ${name}`] : []),
  )

test('what the app uses is there in the oldest browsers that it names', () => {
  const files = globSync(['web/src/**/*.{ts,tsx,css}', 'services/contracts/src/**/*.ts'], { cwd: ROOT })
  expect(files.length).toBeGreaterThan(100)
  expect(files.flatMap((file) => tooNew(file, readFileSync(`${ROOT}/${file}`, 'utf8')))).toEqual([])
  expect(tooNew('a.ts', 'AbortSignal.any([]), new Set().union(one)')).toEqual([
    'a.ts: AbortSignal.any',
    'a.ts: .union()',
  ])
  expect(tooNew('a.css', 'a { color: red; view-transition-name: a }')).toEqual([
    'a.css: view-transition-name',
  ])
})

test('the page tells a browser that is too old, in its language, which ones are not; it tells no other', () => {
  const script = readFileSync(`${ROOT}/web/src/app/before-paint.js`, 'utf8')
  const said = (language: string, supports: boolean): string[] => {
    const sentences: { textContent?: string }[] = []
    runInNewContext(script, {
      CSS: { supports: () => supports },
      navigator: { language },
      localStorage: { getItem: () => null },
      document: {
        addEventListener: (_name: string, ready: () => void) => ready(),
        createElement: () => ({ setAttribute: () => undefined }),
        body: { insertBefore: (one: { textContent?: string }) => sentences.push(one) },
      },
    })
    return sentences.map(({ textContent = '' }) => textContent)
  }
  for (const [language, words] of [
    ['de', 'too old'],
    ['fr-CA', 'trop ancien'],
    ['pt-BR', 'antigo demais'],
  ] as const) {
    const [sentence = ''] = said(language, false)
    for (const part of [words, ...Object.values(OLDEST_BROWSERS)]) expect(sentence).toContain(part)
  }
  expect(said('en', true)).toEqual([])
})
