import { LEGAL_PAGES, STANDARD_TERMS } from '@prelude/contracts'
import { useSyncExternalStore } from 'react'
import type { texts as operatorTexts } from './messages/operator/en.ts'
import type { texts as personTexts } from './messages/person/en.ts'
import type { texts as visitorTexts } from './messages/visitor/en.ts'
import { formatsFor } from './messages/format.ts'
import { localStore } from './browser/storage.ts'

/** Texts of every page: a missing key is a type error. */
export type VisitorTexts = typeof visitorTexts
/** Texts that are there once a page of a signed-in person has been loaded: visitors do not download them. */
export type PersonTexts = typeof personTexts
/** Texts that are there once a page of the operator has been loaded: nobody else downloads them. */
export type OperatorTexts = typeof operatorTexts
export type Messages = VisitorTexts & PersonTexts & OperatorTexts

/** A tag (BCP 47) for which there are catalogues. */
export type Language = string

/** Loads the texts of a language, by its tag; in the order in which the footer offers the languages. */
export type Catalogues<T = object> = Readonly<Record<Language, () => Promise<T>>>
let catalogues: Catalogues<VisitorTexts>
/** Those that pages have loaded with them. */
const pageCatalogues = new Set<Catalogues>()
const STORAGE_KEY = 'prelude-language'

/** All texts in the current language, from `restoreLanguage` on. Read it while rendering: it changes with the language. */
export let messages: Messages
/** Formats of numbers and times in the current language, of the region that the browser names: dates of en-NG are not those of en-US. */
export let format = formatsFor('en')

let language: Language = 'en'
/** The latest choice, whose catalogue may still be loading. */
let wanted: Language = 'en'
const listeners = new Set<() => void>()

const currentLanguage = (): Language => language

/** Re-renders on a change of language. App uses it; a memoised component below App must use it too. */
export const useLanguage = (): Language =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    currentLanguage,
    currentLanguage,
  )

/** Switches to a language that the person chose, and stores the choice in this browser. */
export async function setLanguage(next: Language): Promise<void> {
  await applyLanguage(next)
  if (language === next) localStore.set(STORAGE_KEY, next)
}

/** Loads the catalogue, then switches all texts at once. */
async function applyLanguage(next: Language): Promise<void> {
  wanted = next
  const pages = [...pageCatalogues]
  const texts = await Promise.all([catalogues, ...pages].map((one) => one[next]!()))
  // another language was chosen while this one loaded
  if (wanted !== next) return
  // a page began to load its texts meanwhile
  if (pages.length < pageCatalogues.size) return applyLanguage(next)
  messages = merged(texts)
  format = formatsFor(navigator.languages.find((tag) => baseOf(tag) === next) ?? next)
  language = next
  document.documentElement.lang = next
  for (const listener of listeners) listener()
}

/** Loads the texts of some pages, now and with every other language. */
export async function loadPageTexts(given: Catalogues): Promise<void> {
  pageCatalogues.add(given)
  const before = language
  const texts = await given[before]!()
  // a change of language meanwhile has loaded these too
  if (before === language) messages = merged([messages, texts])
}

/** Begins to download texts in the language that is being restored. */
export const preloadPageTexts = (given: Catalogues): Promise<object> => given[wanted]!()

/** The texts of several catalogues, each of which may have some for errors of the API. */
export const merged = (texts: readonly Partial<Messages>[]): Messages => {
  const problems = Object.assign({}, ...texts.map((one) => one.problems)) as Messages['problems']
  return Object.assign({}, ...texts, { problems }) as Messages
}

/** The languages that there are, from `restoreLanguage` on. */
export const languages = (): Language[] => Object.keys(catalogues)

/** The name of a language in itself: `Français`. */
export const nameOf = (tag: Language): string | undefined =>
  new Intl.DisplayNames(tag, { type: 'language' })
    .of(tag)
    ?.replace(/^./u, (first) => first.toLocaleUpperCase(tag))

const isLanguage = (tag: string | null | undefined): tag is Language => languages().some((one) => one === tag)

/** `fr` of `fr-CA`. */
const baseOf = (tag: string): string => tag.split('-', 1)[0]?.toLowerCase() ?? ''

/**
 * Before the first paint: the language that was chosen in this browser, else the first of the browser's languages that there
 * is. Follows the choice of other tabs. Falls back to English when the catalogue does not load.
 */
export async function restoreLanguage(given: Catalogues<VisitorTexts>): Promise<void> {
  catalogues = given
  addEventListener('storage', ({ key, newValue }) => {
    if (key === STORAGE_KEY && isLanguage(newValue)) void applyLanguage(newValue).catch(() => {})
  })
  const stored = localStore.get(STORAGE_KEY)
  const first = isLanguage(stored) ? stored : navigator.languages.map(baseOf).find(isLanguage)
  await applyLanguage(first ?? 'en').catch(() => applyLanguage('en'))
}

const meta = (name: string, fallback: string): string => {
  const value = document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? ''
  return value === '' || value.startsWith('{{') ? fallback : value
}

/** Site configuration, which the gateway writes into meta tags of the page. */
export const siteConfig = {
  brand: meta('brand', 'Prelude'),
  supportEmail: meta('support-email', 'support@prelude.test'),
  signInProvider: meta('sign-in-provider', 'Google'),
  changesIncluded: Number(meta('changes-included', String(STANDARD_TERMS.changesIncluded))),
  changesDays: Number(meta('changes-days', String(STANDARD_TERMS.changesDays))),
  messagesDays: Number(meta('messages-days', String(STANDARD_TERMS.messagesDays))),
  generator: meta('music-generator', '') === 'true',
  legalPages: LEGAL_PAGES.filter((page) => meta('legal-pages', '').split(' ').includes(page)),
}

/** Credits with two decimals and no thousands separator. */
export const credits = (value: number): string => format.credits(value)
