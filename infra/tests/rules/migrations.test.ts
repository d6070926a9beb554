import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

/**
 * Migrations of a new version run while the old version serves, and stay when it is rolled back. So they only add; a column
 * that no code reads any more is dropped a version later, by a migration that says so (docs/operations/deploy.md, "Upgrade and
 * rollback").
 */

const ROOT = resolve(import.meta.dirname, '../../..')

const BREAKING: readonly (readonly [what: string, pattern: RegExp])[] = [
  // also what upserts (constraints, indexes) and invariants (triggers) of the old version rest on; "column" may be left out
  ['drops something', /\bdrop\s+(?!not\s+null\b)\w/i],
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

/**
 * An index on a table that an earlier migration created would hold up writes while it is built, so an operator can create it
 * before: the migration must accept that it is there. A table of the same file is empty.
 */
function indexesToGuard(sql: string): string[] {
  const text = withoutComments(sql)
  const created = [...text.matchAll(/\bcreate\s+table\s+(?:if\s+not\s+exists\s+)?(\w+)/gi)].map(
    ([, table]) => table,
  )
  const indexes = text.matchAll(
    /\bcreate\s+(?:unique\s+)?index\s+(if\s+not\s+exists\s+)?(?:\w+\s+)?on\s+(?:only\s+)?(\w+)/gi,
  )
  return [...indexes]
    .filter(([, guard, table]) => guard === undefined && !created.includes(table))
    .map(([statement]) => statement)
}

const read = (file: string): string => readFileSync(resolve(ROOT, file), 'utf8')
const files = globSync(
  ['{gateway,services/*}/migrations/*.sql', '{gateway,services/platform}/src/**/*migrations/*.sql'],
  { cwd: ROOT },
)

test('a migration removes nothing that the running version uses', () => {
  // the gateway and five services, the tables of events, key-value
  expect(files.length).toBeGreaterThanOrEqual(8)
  const found = files.flatMap((file) => breakingIn(read(file)).map((what) => `${file} ${what}`))
  expect(found).toEqual([])
})

test('an index on a table of an earlier migration may be there already', () => {
  expect(files.flatMap((file) => indexesToGuard(read(file)).map((index) => `${file}: ${index}`))).toEqual([])
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

const BREAKS = [
  'alter table song drop column style;',
  'alter table song drop style;',
  'drop table song;',
  'alter table song drop constraint song_pkey;',
  'alter table song alter column style drop default;',
  'drop trigger entry_balanced on entry;',
  'drop index if exists song_by_status;',
  'drop function append_events(json);',
  'alter table song rename column style to mood;',
  'alter table song alter column style type jsonb;',
  'alter table song alter column style set not null;',
  'alter table song add column mood text not null;',
]
const ADDS = [
  'alter table song add column mood text;',
  "alter table song add column mood text not null default 'calm';",
  'create table mood (id uuid primary key, name text not null);',
  'create table mood (id uuid primary key, name text);\ncreate unique index mood_by_name on mood (name);',
  'alter table song alter column style drop not null;',
  '-- no need to drop column style\ncreate index if not exists song_by_mood on song (mood);',
]
test('what breaks the running version is found, and what only adds is not', () => {
  expect(BREAKS.filter((sql) => breakingIn(sql).length !== 1)).toEqual([])
  expect(BREAKS.flatMap((sql) => breakingIn(`-- contract: nothing reads it since 1.4\n${sql}`))).toEqual([])
  expect(ADDS.flatMap((sql) => [...breakingIn(sql), ...indexesToGuard(sql)])).toEqual([])
  const unguarded = [
    'create index song_by_mood on song (mood);',
    'create unique index on song (lower(mood));',
  ]
  expect(unguarded.flatMap(indexesToGuard)).toHaveLength(2)
})
