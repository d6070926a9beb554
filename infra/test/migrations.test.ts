import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

/**
 * Migrations of a new version run while the old one serves, and stay when it is rolled back. So they only add; what nobody
 * reads any more goes in a later version, by a migration that says so (docs/operations.md, "Upgrade and rollback").
 */

const ROOT = resolve(import.meta.dirname, '../..')

const BREAKING: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['drops a table or a column', /\bdrop\s+(table|column|view|schema)\b/i],
  ['renames', /\brename\b/i],
  ['changes a type', /\balter\s+column\s+\w+\s+(set\s+data\s+)?type\b|\balter\s+\w+\s+type\b/i],
  ['requires what the old version may leave out', /\bset\s+not\s+null\b/i],
  [
    'adds a column that the old version does not fill',
    /\badd\s+column\b(?![^;,]*\bdefault\b)[^;,]*\bnot\s+null\b/i,
  ],
]
/** The line of a migration that comes a version after the last code that used what goes. */
const CONTRACT = /^-- contract: /m
/** From before there was a version that served anybody. */
const BEFORE_THE_FIRST = [
  'services/payments/migrations/0002-kept.sql',
  'services/platform/src/events/migrations/0002-many-at-once.sql',
]

const withoutComments = (sql: string): string => sql.replace(/--.*$/gm, '')
const breakingIn = (sql: string): string[] =>
  CONTRACT.test(sql)
    ? []
    : BREAKING.filter(([, pattern]) => pattern.test(withoutComments(sql))).map(([what]) => what)

const files = globSync(
  ['{gateway,services/*}/migrations/*.sql', 'services/platform/src/**/migrations/*.sql'],
  {
    cwd: ROOT,
  },
)

test('migrations leave the version that still serves what it uses', () => {
  expect(files.length).toBeGreaterThan(10)
  const found = files
    .filter((file) => !BEFORE_THE_FIRST.includes(file))
    .flatMap((file) => breakingIn(readFileSync(resolve(ROOT, file), 'utf8')).map((what) => `${file} ${what}`))
  expect(found).toEqual([])
})

test.for([
  'alter table song drop column style;',
  'drop table song;',
  'alter table song rename column style to mood;',
  'alter table song alter column style type jsonb;',
  'alter table song alter column style set not null;',
  'alter table song add column mood text not null;',
])('what would break it is found: %s', (sql) => {
  expect(breakingIn(sql)).toHaveLength(1)
  expect(breakingIn(`-- contract: nothing reads it since 1.4\n${sql}`)).toEqual([])
})

test.for([
  'alter table song add column mood text;',
  "alter table song add column mood text not null default 'calm';",
  'create table mood (id uuid primary key, name text not null);',
  '-- no need to drop column style\ncreate index song_by_mood on song (mood);',
])('what only adds is let through: %s', (sql) => {
  expect(breakingIn(sql)).toEqual([])
})
