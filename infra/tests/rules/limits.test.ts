import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseSync } from 'vite'
import { expect, test } from 'vitest'

/**
 * Tests wait in one way: `eventually` and the assertions of Playwright, 60 s each; a test may take as long as its configuration
 * says. No other limit, and no sleep: on a busy machine it is too short, and elsewhere too long.
 */

const ROOT = resolve(import.meta.dirname, '../../..')
const SOURCES = globSync(
  ['{gateway,web}/test/**/*.{ts,tsx}', 'services/*/test/**/*.ts', 'infra/tests/**/*.ts'],
  {
    cwd: ROOT,
    exclude: ['**/node_modules/**', 'infra/tests/{bench,faults,mutants,gate,prepare-machine,servers}/**'],
  },
).toSorted()

interface Node {
  readonly type: string
  readonly start: number
  readonly [key: string]: unknown
}
interface Hit {
  readonly kind: Kind
  readonly at: number
}
type Kind = 'wait of vitest' | 'limit of a wait' | 'limit of a test' | 'sleep'

/** Calls whose last argument may be a limit. */
const LIMITED = new Set(['test', 'it', 'describe', 'beforeAll', 'beforeEach', 'afterAll', 'afterEach'])
const VITEST_WAITS = new Set(['vi.waitFor', 'vi.waitUntil', 'vi.setConfig'])
/** Reasons of what is allowed. */
const BUILDS = 'images are built first, which takes longer than a test may'
const HANGS = 'a program that hangs is killed'
/** The one limit, by its name. */
const LIMIT = 'WAIT_MS'

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'
const nodesIn = (node: Node): Node[] => Object.values(node).flat().filter(isNode)

/** `a.b` of a callee; of `test.each(…)(…)` and `test.skipIf(…)(…)` the first name: `test`. */
function nameOf(node: unknown): string {
  if (!isNode(node)) return ''
  if (node.type === 'Identifier') return String(node['name'])
  if (node.type === 'MemberExpression') return `${nameOf(node['object'])}.${nameOf(node['property'])}`
  return node.type === 'CallExpression' ? nameOf(node['callee']) : ''
}

const isNumber = (node: unknown): boolean =>
  isNode(node) &&
  ((node.type === 'Literal' && typeof node['value'] === 'number') ||
    (node.type === 'Identifier' && /^[A-Z_]+$/.test(nameOf(node))) ||
    (node.type === 'BinaryExpression' && isNumber(node['left'])))

const isOfTheLimit = (node: unknown): boolean =>
  nameOf(node) === LIMIT || (isNode(node) && node.type === 'BinaryExpression' && isOfTheLimit(node['right']))

/** The names under which `setTimeout` of node:timers/promises is imported. */
const sleepsIn = (program: Node): Set<string> =>
  new Set(
    nodesIn(program)
      .filter(
        ({ type, source }) =>
          type === 'ImportDeclaration' && (source as Node)['value'] === 'node:timers/promises',
      )
      .flatMap((one) => one['specifiers'] as Node[])
      .filter(({ imported }) => nameOf(imported) === 'setTimeout')
      .map(({ local }) => nameOf(local)),
  )

function kindOf(node: Node, sleeps: ReadonlySet<string>): Kind | null {
  if (node.type === 'Property')
    return nameOf(node['key']) === 'timeout' && !isOfTheLimit(node['value']) ? 'limit of a wait' : null
  if (node.type !== 'CallExpression') return null
  const name = nameOf(node['callee'])
  const given = node['arguments'] as Node[]
  if (VITEST_WAITS.has(name)) return 'wait of vitest'
  const isTimer = name === 'setTimeout' && given.length > 1
  if (isTimer || sleeps.has(name) || name.endsWith('.waitForTimeout')) return 'sleep'
  return LIMITED.has(name.split('.')[0] ?? '') && given.length > 1 && isNumber(given.at(-1))
    ? 'limit of a test'
    : null
}

function hitsIn(source: string, file = 'one.ts'): Hit[] {
  const program = parseSync(file, source).program as unknown as Node
  const sleeps = sleepsIn(program)
  const walk = (node: Node): Hit[] => {
    const kind = kindOf(node, sleeps)
    return [...(kind ? [{ kind, at: node.start }] : []), ...nodesIn(node).flatMap(walk)]
  }
  return walk(program)
}

/** What is no wait of a test, by file, with the reason. */
const ALLOWED: Readonly<Record<string, readonly [readonly Kind[], string]>> = {
  'infra/tests/containers/backup.night.test.ts': [['limit of a wait'], BUILDS],
  'infra/tests/containers/compose.night.test.ts': [['limit of a wait', 'limit of a test'], BUILDS],
  'infra/tests/containers/recovery.night.test.ts': [['limit of a wait'], BUILDS],
  'infra/tests/containers/update.night.test.ts': [['limit of a wait'], BUILDS],
  'infra/tests/docker/image.night.test.ts': [['limit of a wait'], HANGS],
  'infra/tests/fuzz/fuzz.night.test.ts': [['limit of a test'], 'it runs for as long as SOAK_MINUTES says'],
  'infra/tests/move/copy.night.test.ts': [
    ['sleep'],
    'longer than a limit of PostgreSQL, which no clock of ours moves',
  ],
  'infra/tests/soak/money.night.test.ts': [['limit of a test'], 'it lives for as long as SOAK_MINUTES says'],
  'infra/tests/support/product-process.ts': [['sleep'], 'a poll that ends when the process does'],
  'infra/tests/support/run-command.ts': [['limit of a wait'], HANGS],
  'services/platform/test/chaos/emit.ts': [['sleep'], 'pauses of a writer, by the seed of the run'],
  'services/platform/test/chaos/writer.ts': [['sleep'], 'stalls of a writer, by the seed of the run'],
  'services/platform/test/database.test.ts': [['sleep'], 'awaits a statement later than another one fails'],
  'services/storage/test/s3-silence.test.ts': [
    ['sleep'],
    'a reader pauses for longer than a store may be silent',
  ],
  'services/platform/test/conformance/calls.ts': [['sleep'], 'a receiver that takes its time'],
  'services/platform/test/support/eventually.ts': [['sleep'], 'the one wait'],
  'services/platform/test/conformance/chaos.ts': [['sleep'], 'between two kills, by the seed of the run'],
}

test('tests wait by `eventually`, have no limits of their own and do not sleep', () => {
  expect(SOURCES.length).toBeGreaterThan(300)
  const found = SOURCES.flatMap((file) => {
    const source = readFileSync(resolve(ROOT, file), 'utf8')
    const lineOf = (at: number): number => source.slice(0, at).split('\n').length
    return hitsIn(source, file)
      .filter(({ kind }) => !ALLOWED[file]?.[0].includes(kind))
      .map(({ kind, at }) => `${kind}: ${file}:${lineOf(at)}`)
  })
  expect(found).toEqual([])
})

const FOUND: [Kind, string][] = [
  ['wait of vitest', 'await vi.waitFor(() => done())'],
  ['wait of vitest', 'vi.setConfig({})'],
  ['limit of a wait', 'await page.click(button, { timeout: 5_000 })'],
  ['limit of a test', "test('one', async () => {}, 60_000)"],
  ['limit of a test', "test.each([1])('one', async () => {}, LIMIT_MS)"],
  ['limit of a test', 'beforeAll(start, 2 * 60_000)'],
  ['sleep', "import { setTimeout as delay } from 'node:timers/promises'\nawait delay(300)"],
  ['sleep', 'await new Promise((resolve) => setTimeout(resolve, 300))'],
]
test('each kind is found; a wait of the one limit is none of them, nor are rows of a table', () => {
  const found = FOUND.map(([, source]) => [
    hitsIn(source)
      .map(({ kind }) => kind)
      .join(),
    source,
  ])
  expect(found).toEqual(FOUND)
  expect(hitsIn("test.each(ROWS)('%s', () => {})")).toEqual([])
  expect(
    hitsIn("await eventually(() => done())\ntest('one', async () => {})\nwaitFor({ timeout: WAIT_MS })"),
  ).toEqual([])
})
