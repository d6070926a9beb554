import { existsSync, globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { EVENTS } from '@prelude/contracts'
import { Value } from 'typebox/value'
import { EVENTS_PAGE, renderEvents } from '../../docs/events.ts'
import { SETTINGS } from '../../embedded/settings.ts'
import { writeSetting } from '@prelude/platform'

const ROOT = resolve(import.meta.dirname, '../../..')

test('docs/events.md is what the contracts say (npm run docs)', () => {
  expect(readFileSync(EVENTS_PAGE, 'utf8')).toBe(renderEvents())
})

test('every event has a frozen example that its contract accepts', () => {
  const folder = resolve(ROOT, 'services/contracts/test/fixtures')
  const errors = EVENTS.flatMap(({ type, version, data }) => {
    const name = type.replace(/(?<!^)([A-Z])/g, '-$1').toLowerCase()
    const example: unknown = JSON.parse(readFileSync(`${folder}/${name}.v${version}.json`, 'utf8'))
    return Value.Errors(data, example).map((error) => ({ type, version, error }))
  })
  expect(errors).toEqual([])
})

test('a page that names the tests which hold it names tests that exist', () => {
  const named = globSync(['docs/decisions/*.md', 'docs/security.md'], { cwd: ROOT }).flatMap((page) =>
    [...readFileSync(resolve(ROOT, page), 'utf8').matchAll(/^\|.*\| `(\S+\.test\.ts)`: (.*?) *\|$/gm)].map(
      ([, file = '', title = '']) => ({ file, title }),
    ),
  )
  const suites = globSync(
    ['gateway/test/conformance/*.ts', 'services/{notifier,platform,storage}/test/conformance/*.ts'],
    { cwd: ROOT },
  )
  const text = (file: string) =>
    [file, ...suites].map((one) => readFileSync(resolve(ROOT, one), 'utf8')).join()
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter(({ file, title }) => !text(file).includes(title))).toEqual([])
})

const pages = globSync(['*.md', 'docs/**/*.md', '{gateway,web,services/*}/README.md'], { cwd: ROOT })
/** The anchor of a heading, as GitHub makes it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\- _]/gu, '')
    .replaceAll(' ', '-')
const anchorsOf = (text: string): string[] =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading))

test('links of pages lead to files and headings that exist', () => {
  const dead = pages.flatMap((page) =>
    [...readFileSync(resolve(ROOT, page), 'utf8').matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)]+))?\)/g)]
      .filter(([, path = '', anchor]) => {
        const target = path === '' ? resolve(ROOT, page) : resolve(ROOT, page, '..', path)
        return !existsSync(target) || (anchor && !anchorsOf(readFileSync(target, 'utf8')).includes(anchor))
      })
      .map(([link]) => `${page}: ${link}`),
  )
  expect(dead).toEqual([])
})

test('files and folders that pages name exist', () => {
  const ignored = /^infra\/(docker\/(secrets|legal)|k8s\/mine)/ // each installation makes its own
  const named = pages.flatMap((page) =>
    [...readFileSync(resolve(ROOT, page), 'utf8').matchAll(/`((?:services|gateway|web|infra)\/[\w./-]+)`/g)]
      .filter(([, path = '']) => !ignored.test(path))
      .map(([, path = '']) => ({ page, path })),
  )
  expect(named.length).toBeGreaterThan(100)
  const exists = (path: string) =>
    existsSync(resolve(ROOT, path)) || existsSync(resolve(ROOT, `${path}.test.ts`))
  expect(named.filter(({ path }) => !exists(path))).toEqual([])
})

test('targets of make that pages name exist', () => {
  const makefile = readFileSync(resolve(ROOT, 'Makefile'), 'utf8')
  const targets = new Set([...makefile.matchAll(/^([a-z-]+):/gm)].map(([, name]) => name))
  const named = pages.flatMap((page) =>
    [
      ...readFileSync(resolve(ROOT, page), 'utf8').matchAll(/(?:`|[A-Z_]=\S+ )make ([a-z-]+)(?![a-z-/])/g),
    ].map(([, name = '']) => ({ page, name })),
  )
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter(({ name }) => !targets.has(name))).toEqual([])
})

test('every decision is in the index', () => {
  const index = readFileSync(resolve(ROOT, 'docs/decisions/README.md'), 'utf8')
  const records = globSync('[0-9]*.md', { cwd: resolve(ROOT, 'docs/decisions') })
  expect(records.length).toBeGreaterThan(20)
  expect(records.filter((record) => !index.includes(`(${record})`))).toEqual([])
})

test('a number in a decision whose row names its code is the number there', () => {
  const named = globSync('docs/decisions/*.md', { cwd: ROOT }).flatMap((page) =>
    [...readFileSync(resolve(ROOT, page), 'utf8').matchAll(/^\|.*\| `(\S+\.ts)`: `([^`]+)` *\|$/gm)].map(
      ([, file = '', code = '']) => ({ file, code }),
    ),
  )
  expect(named.length).toBe(8)
  const text = (file: string) => readFileSync(resolve(ROOT, file), 'utf8')
  expect(named.filter(({ file, code }) => !text(file).includes(`${code}\n`))).toEqual([])
})

test('every event has one file and every file one event', () => {
  const files = globSync('services/contracts/src/events/*.ts', { cwd: ROOT }).filter(
    (file) => !/(event|all|list)\.ts$/.test(file),
  )
  expect(files).toHaveLength(EVENTS.length)
})

/** Of .env.example: the settings of `make start`, and those of containers alone. */
const [ofStart, ofContainers] = readFileSync(resolve(ROOT, '.env.example'), 'utf8')
  .split('Settings of containers alone')
  .map((part) => {
    const lines = part.matchAll(/^# .+\n#([A-Z_]+)=(.*)$/gm)
    return Object.fromEntries([...lines].map(([, name = '', value = '']) => [name, value]))
  })

test('.env.example names every setting with its default, below what it means', () => {
  const defaults = Object.values(SETTINGS).map((setting) => [
    setting.env,
    writeSetting(setting, setting.fallback),
  ])
  expect(ofStart).toEqual({
    ...Object.fromEntries(defaults),
    PUBLIC_URL: 'http://localhost:8080', // at PORT
    DATA_DIR: './data',
  })
})

test('.env.example names what the compose files take beside them, with its default', () => {
  const text = ['docker-compose.yml', 'docker-compose.archive.yml', 'infra/docker/images.yml']
    .map((file) => readFileSync(resolve(ROOT, file), 'utf8'))
    .join('\n')
  const taken = [...text.matchAll(/\$\{([A-Z_]+)(?::-([^}$]*))?/g)]
    .map(([, name = '', fallback = '']) => [name, fallback] as const)
    .filter(([name]) => !(name in (ofStart ?? {})))
  expect(ofContainers).toEqual({
    ...Object.fromEntries(taken),
    LISTEN: '127.0.0.1', // as `make containers` writes it
  })
})
