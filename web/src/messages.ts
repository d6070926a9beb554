import { useSyncExternalStore } from 'react'
import { en } from './messages/en.ts'
import { formatsFor } from './messages/format.ts'

/** What every language must say: a key that is missing is a type error. */
export type Messages = typeof en

export const LANGUAGES = { en: 'English', fr: 'Français' } as const
export type Language = keyof typeof LANGUAGES

/** Other languages than English are read when they are asked for. */
const CATALOGUES: Record<Language, () => Promise<Messages>> = {
  en: async () => en,
  fr: async () => (await import('./messages/fr.ts')).fr,
}
const KEPT = 'prelude-language'

/** Every sentence of the app in the language of the person. Read it while rendering: it changes with the language. */
export let messages: Messages = en
/** Numbers and times in the same language. */
export let format = formatsFor('en')

let language: Language = 'en'
const listeners = new Set<() => void>()

/** The whole app renders again when the language changes: App uses this, so nothing below it may be memoised by its props. */
export const useLanguage = (): Language =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => language,
  )

/** Reads the catalogue, then changes every sentence at once; the choice is kept in this browser. */
export async function speak(next: Language): Promise<void> {
  messages = await CATALOGUES[next]()
  format = formatsFor(next)
  language = next
  localStorage.setItem(KEPT, next)
  document.documentElement.lang = next
  for (const listener of listeners) listener()
}

/** Before the first paint: the language the person chose earlier. English where its catalogue cannot be read. */
export async function restoreLanguage(): Promise<void> {
  const kept = localStorage.getItem(KEPT)
  if (kept !== null && kept !== 'en' && kept in LANGUAGES) await speak(kept as Language).catch(() => {})
}

const meta = (name: string, fallback: string): string => {
  const value = document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? ''
  return value === '' || value.startsWith('{{') ? fallback : value
}

/** What the server fills into the page. */
export const house = {
  brand: meta('brand', 'Prelude'),
  supportEmail: meta('support-email', 'support@prelude.test'),
  signInProvider: meta('sign-in-provider', 'Google'),
}

/** Credits with two decimals and no thousands separator. */
export const credits = (value: number): string => format.credits(value)
