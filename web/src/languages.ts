import type { Catalogues, Messages, OperatorPages, PersonPages } from './messages.ts'

/** Each file of the folder is a language, named by its tag (`fr`), and a chunk with the texts of all pages. */
const files = import.meta.glob<Messages>('./*.ts', { base: './messages/languages', import: 'messages' })
const others = Object.fromEntries(
  Object.entries(files).map(([path, load]) => [path.slice('./'.length, -'.ts'.length), load]),
)

/** Each language's texts of some pages; of other languages than English those of all pages. */
const catalogues = <T>(en: () => Promise<T>): Catalogues<T> => ({ en, ...others })

/**
 * Texts of the first page. Only entry scripts import this file: a changed sentence then changes the names of two small files,
 * and not of every chunk that shows texts.
 */
export const CATALOGUES: Catalogues = catalogues(async () => (await import('./messages/en.ts')).en)

// the annotations remove the other two from the page of a link

/** Texts of the operator's pages, which are loaded with them. */
export const OPERATOR_CATALOGUES: Catalogues<OperatorPages> = /* @__PURE__ */ catalogues(
  async () => (await import('./messages/operator-pages-en.ts')).operatorPages,
)

/** Texts of the pages of a signed-in person, which are loaded with them. */
export const PERSON_CATALOGUES: Catalogues<PersonPages> = /* @__PURE__ */ catalogues(
  async () => (await import('./messages/person-pages-en.ts')).personPages,
)
