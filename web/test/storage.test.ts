import { browser } from './browser.ts'
import { expect, test } from 'vitest'
import { lastValues, localStore } from '../src/browser/storage.ts'

test('of values by name the last ones are kept, under one key, which goes with the last of them', () => {
  browser.stored.clear()
  const kept = lastValues<number>(localStore, 'prelude-kept')
  for (let n = 0; n < 60; n++) kept.set(`entry ${n}`, n)
  kept.set('entry 10', 100)
  kept.set('one more', 1)
  expect([...browser.stored.keys()]).toEqual(['prelude-kept'])
  expect(['entry 10', 'entry 11', 'entry 12', 'entry 59', 'one more'].map(kept.get)).toEqual([
    100,
    undefined,
    12,
    59,
    1,
  ])
  for (const name of kept.names()) kept.set(name, undefined)
  expect(browser.stored.size).toBe(0)
})

test('a value that cannot be read is none', () => {
  browser.stored.set('prelude-kept', 'of an older build')
  expect(lastValues<number>(localStore, 'prelude-kept').get('entry')).toBeUndefined()
})
