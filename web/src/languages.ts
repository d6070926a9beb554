import type { Catalogues, OperatorPages, PersonPages } from './messages.ts'

/**
 * Catalogues by language, each a chunk of its own. Only the entry script imports this file: a changed sentence then changes
 * the names of two small files, and not of every chunk that shows texts.
 */
export const CATALOGUES: Catalogues = {
  en: async () => (await import('./messages/en.ts')).en,
  fr: async () => (await import('./messages/fr.ts')).fr,
  pt: async () => (await import('./messages/pt.ts')).pt,
}

/** Texts of the operator's pages, which are loaded with them. */
export const OPERATOR_CATALOGUES: Catalogues<OperatorPages> = {
  en: async () => (await import('./messages/operator-pages-en.ts')).operatorPages,
  fr: async () => (await import('./messages/operator-pages-fr.ts')).operatorPages,
  pt: async () => (await import('./messages/operator-pages-pt.ts')).operatorPages,
}

/** Texts of the pages of a signed-in person, which are loaded with them. */
export const PERSON_CATALOGUES: Catalogues<PersonPages> = {
  en: async () => (await import('./messages/person-pages-en.ts')).personPages,
  fr: async () => (await import('./messages/person-pages-fr.ts')).personPages,
  pt: async () => (await import('./messages/person-pages-pt.ts')).personPages,
}
