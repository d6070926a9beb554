import './browser.ts'
import { readdirSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { LANGUAGES as TAGS } from '@prelude/contracts'
import { OPERATOR_CATALOGUES, PERSON_CATALOGUES, VISITOR_CATALOGUES } from '../src/languages.ts'
import { languages, type Messages, nameOf, restoreLanguage } from '../src/messages.ts'
import { formatsFor } from '../src/messages/format.ts'
import { messagesIn } from './catalogues.ts'

/** Every sentence of a catalogue by its path; those that take parameters with `given` for each. */
function sentences(of: unknown, given: string | number, path = ''): [path: string, text: string][] {
  if (typeof of === 'string') return [[path, of]]
  if (typeof of === 'function') {
    const counts = { services: 1, deadLetters: 1, mails: 1, alerts: 1 }
    const parameters = path === '.ops.summary' ? [counts] : Array.from({ length: of.length }, () => given)
    return [[path, String((of as (...all: unknown[]) => unknown)(...parameters))]]
  }
  if (typeof of !== 'object' || of === null) return []
  return Object.entries(of).flatMap(([key, one]) => sentences(one, given, `${path}.${key}`))
}

let en: Messages
beforeAll(async () => void (en = await messagesIn('en')))

const FILES = readdirSync(new URL('../src/messages/visitor', import.meta.url))
const LANGUAGES = FILES.map((file) => file.replace(/\.ts$/, '')).toSorted()

test('each file of a language is offered, by its own name', async () => {
  await restoreLanguage(VISITOR_CATALOGUES)
  expect(languages()).toEqual(LANGUAGES)
  // mails and previews have texts in the same
  expect(TAGS).toEqual(LANGUAGES)
  for (const catalogues of [OPERATOR_CATALOGUES, PERSON_CATALOGUES])
    expect(Object.keys(catalogues)).toEqual(LANGUAGES)
  expect(['en', 'fr', 'pt'].map(nameOf)).toEqual(['English', 'Français', 'Português'])
  // a tag that Intl does not know has itself for a name
  for (const language of LANGUAGES) expect(nameOf(language)?.toLowerCase()).not.toBe(language)
})

test('every sentence of English has a translation, which says something and uses its parameters', async () => {
  for (const language of LANGUAGES) {
    const catalogue = await messagesIn(language)
    const all = sentences(catalogue, 1)
    expect(all.length).toBeGreaterThan(350)
    const texts = new Map(all)
    const missing = sentences(en, 1).filter(([path]) => !texts.has(path))
    const empty = all.filter(([, text]) => text.trim() === '' || /undefined|NaN|\[object/.test(text))
    const same = sentences(en, 1).filter(([path, text]) => texts.get(path) === text && / \p{L}+ /u.test(text))
    const marked = new Map(sentences(catalogue, '§'))
    const lost = sentences(en, '§').filter(
      ([path, text]) => text.includes('§') && marked.get(path)?.includes('§') !== true,
    )
    expect({ language, missing, empty, lost, same: language === 'en' ? [] : same }).toEqual({
      language,
      missing: [],
      empty: [],
      lost: [],
      same: [],
    })
  }
})

test('one thing has no plural', async () => {
  for (const language of LANGUAGES) {
    // where 1.00 is singular too; "fois" is its own plural, "has" none
    const isOne = new Intl.PluralRules(language, { minimumFractionDigits: 2 }).select(1) === 'one'
    const plural = isOne
      ? /(?<![\d.,])1(?:[.,]00)?\s(?!fois)\p{L}{2,}s(?!\p{L})/u
      : /(?<![\d.,])1\s(?!has)\p{L}{2,}s(?!\p{L})/u
    expect(sentences(await messagesIn(language), 1).filter(([, text]) => plural.test(text))).toEqual([])
  }
})

const plain = (text: string): string => text.replaceAll(/[\u00a0\u202f]/g, ' ')

const MONEY = [
  ['en', '$25.00', '$25', '₦37,000.00', '$12.50'],
  ['fr', '25,00 $', '25 $', '37 000,00 ₦', '12,50 $'],
  ['pt', '$ 25,00', '$ 25', '₦ 37.000,00', '$ 12,50'],
] as const
test('money has the form of its language', () => {
  const found = MONEY.map(([language]) => {
    const { money, price } = formatsFor(language)
    const sums = [money(25, 'USD'), price(25, 'USD'), money(37_000, 'NGN'), price(12.5, 'USD')]
    return [language, ...sums.map(plain)]
  })
  expect(found).toEqual(MONEY)
})

test('plurals follow the language, also of decimals, and of languages with more forms than ours', async () => {
  const [french, portuguese] = await Promise.all([messagesIn('fr'), messagesIn('pt')])
  const of = ({ bar }: Messages) => [0, 1, 1.5, 2].map((count) => bar.credits(count))
  expect(of(en)).toEqual(['credits', 'credits', 'credits', 'credits'])
  expect(of(french)).toEqual(['crédit', 'crédit', 'crédit', 'crédits'])
  expect(of(portuguese)).toEqual(['crédito', 'crédito', 'crédito', 'créditos'])
  expect(plain(french.yourData.losesCredits(1, 'x@y.z'))).toContain('Votre solde de 1,00 crédit est perdu')
  expect(plain(french.owed(12))).toContain('Vous devez 12,00 crédits')
  expect(french.operator.queue(0)).toBe('0 demande en attente')
  expect(portuguese.ops.jobFails('x', 2)).toBe('x falhou 2 vezes:')
  const polish = { one: 'plik', few: 'pliki', many: 'plików', other: 'pliku' }
  expect([1, 2, 5].map((count) => formatsFor('pl').plural(count, polish))).toEqual([
    'plik',
    'pliki',
    'plików',
  ])
})
