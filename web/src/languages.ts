import type { Language, Messages } from './messages.ts'

/**
 * Catalogues by language, each a chunk of its own. Only the entry script imports this file: a changed sentence then changes
 * the names of two small files, and not of every chunk that shows texts.
 */
export const CATALOGUES: Record<Language, () => Promise<Messages>> = {
  en: async () => (await import('./messages/en.ts')).en,
  fr: async () => (await import('./messages/fr.ts')).fr,
  pt: async () => (await import('./messages/pt.ts')).pt,
}
