import { browser } from './browser.ts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Catalogues, Language } from '../src/messages.ts'

const STORED = 'prelude-language'

/** Loads whose time the test decides. */
const held: { name: string; end: (error?: Error) => void }[] = []
let isHolding = false

const catalogues = <T>(set: string): Catalogues<T> => {
  const load = (language: Language) => async (): Promise<T> => {
    if (isHolding)
      await new Promise<void>((resolve, reject) => {
        held.push({ name: `${set} ${language}`, end: (error) => (error ? reject(error) : resolve()) })
      })
    return { [set]: language } as T
  }
  return { en: load('en'), fr: load('fr'), pt: load('pt') }
}

const end = (name: string, error?: Error): void => {
  const index = held.findIndex((one) => one.name === name)
  if (index < 0) throw new Error(`${name} is not under way, but ${held.map((one) => one.name).join()}`)
  held.splice(index, 1)[0]!.end(error)
}
/** Of each set of texts the language that is shown. */
const shown = (): object => ({ ...texts.messages })
const otherTabChooses = (language: string): void =>
  browser.listeners['storage']!({ key: STORED, newValue: language })
/** Lets what has ended be taken over. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** The module as a page begins with it. */
let texts: typeof import('../src/messages.ts')
const setLanguage = (language: Language): Promise<void> => texts.setLanguage(language)
const loadPageTexts = (set: string): Promise<void> => texts.loadPageTexts(catalogues(set))

beforeEach(async () => {
  vi.resetModules()
  browser.stored.clear()
  texts = await import('../src/messages.ts')
  await texts.restoreLanguage(catalogues('first'))
})
afterEach(() => {
  isHolding = false
  for (const { end: finish } of held.splice(0)) finish()
})

test('a language is shown, kept in this browser and named in the page once its texts are there', async () => {
  isHolding = true
  const done = setLanguage('pt')
  await settle()
  expect(browser.stored.has(STORED)).toBe(false)
  end('first pt')
  await done
  expect(shown()).toMatchObject({ first: 'pt' })
  expect([browser.stored.get(STORED), browser.root.lang]).toEqual(['pt', 'pt'])
})

test('of two choices the later one counts, whichever texts come first', async () => {
  isHolding = true
  const choices = [setLanguage('fr'), setLanguage('en')]
  end('first en')
  end('first fr')
  await Promise.all(choices)
  expect(shown()).toMatchObject({ first: 'en' })
  expect(browser.stored.get(STORED)).toBe('en')
})

test('a language whose texts do not load changes nothing', async () => {
  isHolding = true
  const done = setLanguage('fr')
  end('first fr', new Error('no connection'))
  await expect(done).rejects.toThrow('no connection')
  expect(shown()).toMatchObject({ first: 'en' })
  expect([browser.stored.get(STORED), browser.root.lang]).toEqual([undefined, 'en'])
})

test('texts of a page that load during a change of language are there in the new one', async () => {
  isHolding = true
  const change = setLanguage('fr')
  const page = loadPageTexts('page')
  end('page en')
  await page
  expect(shown()).toMatchObject({ first: 'en', page: 'en' })
  end('first fr')
  await settle()
  // the change waits for those of the page too
  expect(shown()).toMatchObject({ first: 'en', page: 'en' })
  end('first fr')
  end('page fr')
  await change
  expect(shown()).toMatchObject({ first: 'fr', page: 'fr' })
})

test('texts of a page that come after a change of language stay those of the new one', async () => {
  isHolding = true
  const page = loadPageTexts('late')
  const change = setLanguage('pt')
  for (const name of ['first pt', 'late pt']) end(name)
  await change
  end('late en')
  await page
  expect(shown()).toMatchObject({ first: 'pt', late: 'pt' })
})

test('a tab follows the choice of another one, with the texts of its pages, and keeps nothing itself', async () => {
  await loadPageTexts('page')
  otherTabChooses('fr')
  await expect.poll(shown).toMatchObject({ first: 'fr', page: 'fr' })
  expect([browser.stored.size, browser.root.lang]).toEqual([0, 'fr'])
  otherTabChooses('xx')
  await settle()
  expect(browser.root.lang).toBe('fr')
})

test('a tab follows another one while texts of a page load', async () => {
  isHolding = true
  otherTabChooses('fr')
  const page = loadPageTexts('last')
  isHolding = false
  for (const name of ['first fr', 'last en']) end(name)
  await page
  await expect.poll(shown).toMatchObject({ first: 'fr', last: 'fr' })
})
