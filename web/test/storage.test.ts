import { browser } from './browser.ts'
import { afterEach, expect, test, vi } from 'vitest'
import { forgetUploads } from '../src/features/operator/upload-file.ts'
import { keepWords, lastValues, localStore, onWordsNotKept } from '../src/browser/storage.ts'

afterEach(() => {
  browser.stored.clear()
  vi.unstubAllGlobals()
})

test('of values by name the last ones are kept, under one key, which goes with the last of them', () => {
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

test('a person reads once that what they type is not kept', () => {
  const tell = vi.fn<() => void>()
  onWordsNotKept(tell)
  const kept = new Map<string, string>()
  const sessionStorage = {
    setItem: (key: string, value: string) => {
      if (value.length > 5) throw new DOMException('full', 'QuotaExceededError')
      kept.set(key, value)
    },
    removeItem: (key: string) => kept.delete(key),
  }
  vi.stubGlobal('sessionStorage', sessionStorage)
  keepWords('words', 'la')
  expect([kept.get('words'), tell.mock.calls.length]).toEqual(['la', 0])
  for (const words of ['la la la', 'la la la la']) keepWords('words', words)
  expect(tell).toHaveBeenCalledTimes(1)
  keepWords('words', '')
  expect(kept.size).toBe(0)
})

test('a delivered song leaves no address of its uploads in the browser, nor those of earlier versions', () => {
  const uploads = lastValues<object>(localStore, 'prelude-uploads')
  for (const name of ['prelude/one/1', 'prelude/two/1']) uploads.set(name, {})
  browser.stored.set('tus::prelude/one/1::7', '{}')
  forgetUploads('one')
  expect(uploads.names()).toEqual(['prelude/two/1'])
  expect([...browser.stored.keys()]).toEqual(['prelude-uploads'])
})
