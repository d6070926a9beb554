import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

/** The product takes its time from the clock that it is given: tests can then move all of it, in code and in SQL. */

const ROOT = resolve(import.meta.dirname, '../../..')
const CLOCK = 'services/platform/src/clock.ts'
const sources = globSync(
  ['services/*/src/**/*.{ts,sql}', 'services/*/migrations/*.sql', 'gateway/{src,migrations}/**/*.{ts,sql}'],
  { cwd: ROOT },
).map((file) => ({ file, text: withoutComments(readFileSync(resolve(ROOT, file), 'utf8')) }))

/** What is compared with a time that is not the product's. */
const OF_THE_MACHINE: Readonly<Record<string, string>> = {
  'services/storage/src/blobs/folder-blobs.ts': 'the time of a file',
  'services/storage/src/blobs/s3-blobs.ts': "the object store's time of an upload",
  'services/platform/src/events/kafka/kafka-client.ts': "kafkajs's own time",
  'services/platform/src/observability/standard-output.ts':
    'the time of a log line, which the logger takes so too',
}
/**
 * In defaults of columns, in the one function that may delete events (a service cannot give it another time), and of what a
 * migration itself does.
 */
const IN_MIGRATIONS =
  /default (?:now|clock_timestamp)\(\)|\.at (?:<|>=) extract\(epoch from now\(\) - interval '14 days'\)|floor\(extract\(epoch from now\(\)\) \* 1000\)::bigint as ms/g

test('the time is asked of the clock', () => {
  const asks = /\bDate\.now\b|\bnew Date\(\)|\bDate\(\)/
  const asking = sources.filter(({ file, text }) => file !== CLOCK && asks.test(text)).map(({ file }) => file)
  expect(asking.toSorted()).toEqual(Object.keys(OF_THE_MACHINE).toSorted())
})

test('SQL is given the time', () => {
  const asks =
    /(?<![\w.])now\(\)|\b(?:clock_timestamp|statement_timestamp|transaction_timestamp|timeofday)\(\)|\b(?:current_timestamp|current_date|localtimestamp)\b/i
  const asking = sources.filter(
    ({ file, text }) =>
      file !== CLOCK && sqlOf(file, text).some((sql) => asks.test(sql.replaceAll(IN_MIGRATIONS, ''))),
  )
  expect(asking.map(({ file }) => file)).toEqual([])
})

test("only the entry of a process takes the system's clock", () => {
  const taking = sources.filter(({ text }) => text.includes('systemClock')).map(({ file }) => file)
  expect(taking.filter((file) => !/\/src\/main\.ts$/.test(file)).toSorted()).toEqual([
    CLOCK,
    'services/platform/src/index.ts',
  ])
})

test('no product can load the clock of tests', () => {
  const loading = globSync(['services/*/src/**/*.ts', 'gateway/src/**/*.ts', 'infra/**/*.ts'], {
    cwd: ROOT,
    exclude: ['infra/tests/**', '**/node_modules/**'],
  }).filter((file) =>
    /test-clock|product-with-clock|platform\/testing/.test(readFileSync(resolve(ROOT, file), 'utf8')),
  )
  expect(loading).toEqual([])
})

/** The texts of a file that may be SQL: all of a migration, strings of code. */
function sqlOf(file: string, text: string): readonly string[] {
  return file.endsWith('.sql') ? [text] : (text.match(/`[^`]*`|'[^'\n]*'|"[^"\n]*"/g) ?? [])
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)(?:\/\/|--).*$/gm, '')
}
