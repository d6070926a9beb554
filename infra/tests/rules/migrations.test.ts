import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

/**
 * Migrations of a new version run while the old version serves, and stay when it is rolled back. So they only add; a column
 * that no code reads any more is dropped a version later, by a migration that says so (docs/operations.md, "Upgrade and
 * rollback").
 */

const ROOT = resolve(import.meta.dirname, '../../..')

const BREAKING: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['drops a table or a column', /\bdrop\s+(table|column|view|schema)\b/i],
  ['renames', /\brename\b/i],
  ['changes a type', /\balter\s+column\s+\w+\s+(set\s+data\s+)?type\b|\balter\s+\w+\s+type\b/i],
  ['requires a value that the old version may leave out', /\bset\s+not\s+null\b/i],
  [
    'adds a column that the old version does not fill',
    /\badd\s+column\b(?![^;,]*\bdefault\b)[^;,]*\bnot\s+null\b/i,
  ],
]
/** The line of a migration that removes something a version after the last code that used it. */
const CONTRACT = /^-- contract: /m

const withoutComments = (sql: string): string => sql.replace(/--.*$/gm, '')
const breakingIn = (sql: string): string[] =>
  CONTRACT.test(sql)
    ? []
    : BREAKING.filter(([, pattern]) => pattern.test(withoutComments(sql))).map(([what]) => what)

const read = (file: string): string => readFileSync(resolve(ROOT, file), 'utf8')
const files = globSync(
  ['{gateway,services/*}/migrations/*.sql', 'services/platform/src/**/*migrations/*.sql'],
  { cwd: ROOT },
)

test('a migration removes nothing that the running version uses', () => {
  // the gateway and five services, the tables of events, key-value
  expect(files.length).toBeGreaterThanOrEqual(8)
  const found = files.flatMap((file) => breakingIn(read(file)).map((what) => `${file} ${what}`))
  expect(found).toEqual([])
})

test('each index, or group of them, stands below a comment on what it is for', () => {
  const isIndex = (line: string): boolean => /^create (unique )?index /.test(line)
  const found = files.flatMap((file) => {
    const lines = read(file).split('\n')
    return lines.filter((line, i) => {
      const before = lines.slice(0, i).findLast((other) => !isIndex(other) && !other.startsWith(' '))
      return isIndex(line) && !before?.startsWith('--')
    })
  })
  expect(found).toEqual([])
})

test.for([
  'alter table song drop column style;',
  'drop table song;',
  'alter table song rename column style to mood;',
  'alter table song alter column style type jsonb;',
  'alter table song alter column style set not null;',
  'alter table song add column mood text not null;',
])('a migration that would break it is found: %s', (sql) => {
  expect(breakingIn(sql)).toHaveLength(1)
  expect(breakingIn(`-- contract: nothing reads it since 1.4\n${sql}`)).toEqual([])
})

test.for([
  'alter table song add column mood text;',
  "alter table song add column mood text not null default 'calm';",
  'create table mood (id uuid primary key, name text not null);',
  '-- no need to drop column style\ncreate index song_by_mood on song (mood);',
])('a migration that only adds passes: %s', (sql) => {
  expect(breakingIn(sql)).toEqual([])
})
