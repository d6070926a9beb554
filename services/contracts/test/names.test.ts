import { expect, test } from 'vitest'
import { nameOf, preferredLanguage, wholeName } from '../src/index.ts'

const LONG = 'Adaeze'.repeat(30)

test.for([
  ['Ada Lovelace', 'Ada'],
  ['  Ada\tLovelace\n', 'Ada'],
  ['Lovelace, Ada', 'Ada'],
  ['LOVELACE, Ada King', 'Ada'],
  ['John Smith, Jr.', 'John'],
  ['Mr. John Smith', 'John'],
  ['Prof. Dr. Angela Merkel', 'Angela'],
  ['Mr. Smith', null],
  ['J. Robert Oppenheimer', null],
  ['Nnedi', 'Nnedi'],
  ['Ọ̀nà Adébáyọ̀', 'Ọ̀nà'],
  ["D'Arcy O’Neil", "D'Arcy"],
  ['Jean-Luc Picard', 'Jean-Luc'],
  ['محمد علي', 'محمد'],
  ['שרה כהן', 'שרה'],
  ['प्रिया शर्मा', 'प्रिया'],
  ['山田 太郎', '山田 太郎'],
  ['김민준', '김민준'],
  ['Ada🔥 Lovelace', 'Ada🔥'],
  ['👩🏽‍🎤 Ada', 'Ada'],
  ['Ada👩🏽‍🎤', 'Ada👩🏽‍🎤'],
  ['Ada \u202Egpj.exe', 'Ada'],
  ['\u202EAda\u200B Lovelace', 'Ada'],
  [LONG, LONG],
  ['ada@example.test', null],
  ['Ada <ada@example.test>', 'Ada'],
  ['ada (ada@example.test)', 'ada'],
  ['J.R.R. Tolkien', null],
  ['Mr.John Smith', null],
  ['ada＠example.test', null],
  ['+234 801 234 5678', null],
  ['https://example.test/ada', null],
  ['www.example.test', null],
  ['example.com', null],
  ['ada1987', null],
  ['🔥', null],
  ['\u200B', null],
  ['', null],
  [null, null],
] as const)('of %j the first name is %j', ([name, first]) => {
  expect(nameOf({ name, givenName: null })).toBe(first)
  expect(nameOf({ name: 'Family', givenName: name })).toBe(first ?? 'Family')
})

test('a whole name stays as it is written, family name first or last; an address, a link and a number are none', () => {
  for (const name of ['Lovelace, Ada', 'Nagy János', '山田 太郎', 'Ada 🔥', 'R2D2', 'J.R.R. Tolkien', LONG])
    expect(wholeName(name)).toBe(name)
  expect(wholeName('Ada Lovelace <ada@example.test>')).toBe('Ada Lovelace')
  for (const name of ['ada@example.test', '+234 801', 'https://x.test', ' \u2060'])
    expect(wholeName(name)).toBeNull()
})

test('the language of a header is the first of the app’s that it prefers', () => {
  expect(preferredLanguage('de, fr-CA;q=0.8, pt;q=0.9')).toBe('pt')
  expect(preferredLanguage('FR')).toBe('fr')
  for (const none of [undefined, '', 'de', 'fr;q=0', '*']) expect(preferredLanguage(none)).toBeNull()
})
