import type { Catalogues, Messages } from './messages.ts'

/**
 * Catalogues by language, each a chunk of its own. Only the entry script imports this file: a changed sentence then changes
 * the names of two small files, and not of every chunk that shows texts.
 */
export const CATALOGUES: Catalogues = {
  en: async () => (await import('./messages/en.ts')).en,
  fr: async () => (await import('./messages/fr.ts')).fr,
  pt: async () => (await import('./messages/pt.ts')).pt,
}

/** Texts of the operator's page, which are loaded with it. */
export const DESK_CATALOGUES: Catalogues<Messages['desk']> = {
  en: async () => (await import('./messages/desk-en.ts')).desk,
  fr: async () => (await import('./messages/desk-fr.ts')).desk,
  pt: async () => (await import('./messages/desk-pt.ts')).desk,
}
