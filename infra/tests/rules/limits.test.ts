import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
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
    exclude: [
      '**/node_modules/**',
      'infra/tests/{bench,faults,mutants,gate,prepare-machine,servers}/**',
      'infra/tests/rules/limits.test.ts',
    ],
  },
).toSorted()

interface Hit {
  readonly kind: Kind
  readonly at: number
}
type Kind = 'wait of vitest' | 'limit of a wait' | 'limit of a test' | 'sleep'

/** Reasons of what is allowed. */
const BUILDS = 'images are built first, which takes longer than a test may'
const HANGS = 'a program that hangs is killed'

/** Milliseconds, or a constant of them: a last argument that is a limit. */
const LIMIT = String.raw`(?:\w+ [*+] )?(?:\d+_\d{3}|\w*(?:_MS|Ms)\b)`
const PATTERNS: Readonly<Record<Kind, string>> = {
  'wait of vitest': String.raw`\bvi\.(?:waitFor|waitUntil|setConfig)\(`,
  'limit of a wait': String.raw`\btimeout: (?!(?:[\w.]+ \* )?WAIT_MS\b)`,
  'limit of a test': String.raw`^(?: *|.*\b(?:test|it|describe)\b.*)\}, ${LIMIT}\)$|^ *\},\n *${LIMIT},\n *\)$|\b(?:before|after)(?:All|Each)\(\w+, ${LIMIT}`,
  sleep: String.raw`\bsetTimeout\(|\.waitForTimeout\(`,
}

function hitsIn(source: string): Hit[] {
  const [, sleep] = /\bsetTimeout as (\w+)/.exec(source) ?? []
  const patterns = Object.entries({
    ...PATTERNS,
    ...(sleep && { sleep: `${PATTERNS.sleep}|\\b${sleep}\\(` }),
  })
  return patterns.flatMap(([kind, pattern]) =>
    [...source.matchAll(new RegExp(pattern, 'gm'))].map(({ index }) => ({ kind: kind as Kind, at: index })),
  )
}

/** What is no wait of a test, by file, with the reason. */
const ALLOWED: Readonly<Record<string, readonly [readonly Kind[], string]>> = {
  'infra/tests/containers/backup.night.test.ts': [['limit of a wait'], BUILDS],
  'infra/tests/containers/compose.night.test.ts': [['limit of a wait', 'limit of a test'], BUILDS],
  'infra/tests/containers/recovery.night.test.ts': [['limit of a wait'], BUILDS],
  'infra/tests/containers/update.night.test.ts': [['limit of a wait'], BUILDS],
  'infra/tests/docker/image.night.test.ts': [['limit of a wait'], HANGS],
  'infra/tests/e2e/failures.e2e.ts': [['sleep'], 'an error of the page that nothing catches'],
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
  'services/platform/test/logger.test.ts': [['sleep'], 'in a program that ends while its log is full'],
  'services/storage/test/s3-silence.test.ts': [
    ['sleep'],
    'a reader pauses for longer than a store may be silent',
  ],
  'services/storage/test/hostile.night.test.ts': [['limit of a test'], 'the interval of a timer'],
  'services/platform/test/conformance/calls.ts': [['sleep'], 'a receiver that takes its time'],
  'services/platform/test/support/eventually.ts': [['sleep'], 'the one wait'],
  'services/platform/test/conformance/chaos.ts': [['sleep'], 'between two kills, by the seed of the run'],
}

test('tests wait by `eventually`, have no limits of their own and do not sleep', () => {
  expect(SOURCES.length).toBeGreaterThan(300)
  const found = SOURCES.flatMap((file) => {
    const source = readFileSync(resolve(ROOT, file), 'utf8')
    const lineOf = (at: number): number => source.slice(0, at).split('\n').length
    return hitsIn(source)
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
  ['limit of a test', "test(\n  'one',\n  async () => {\n  },\n  60_000,\n)"],
  ['limit of a test', 'beforeAll(start, 2 * 60_000)'],
  ['sleep', "import { setTimeout as delay } from 'node:timers/promises'\nawait delay(300)"],
  ['sleep', 'await new Promise((resolve) => setTimeout(() => resolve(done()), 300))'],
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
