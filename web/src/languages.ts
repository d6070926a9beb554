import type { Catalogues, OperatorTexts, PersonTexts, VisitorTexts } from './messages.ts'

/** Each file of a folder is a language, named by its tag (`fr`), and a chunk. */
const byTag = <T>(files: Record<string, () => Promise<T>>): Catalogues<T> =>
  Object.fromEntries(
    Object.entries(files).map(([path, load]) => [path.slice('./'.length, -'.ts'.length), load]),
  )

/**
 * Texts of the first page, and of those that people without an account open. Only entry scripts import this file: a changed
 * sentence then changes the names of two small files, and not of every chunk that shows texts.
 */
export const VISITOR_CATALOGUES = byTag(
  import.meta.glob<VisitorTexts>('./*.ts', { base: './messages/visitor', import: 'texts' }),
)

// the annotations remove the other two from the page of a link

/** Texts of the pages of a signed-in person, which are loaded with them. */
export const PERSON_CATALOGUES = /* @__PURE__ */ byTag(
  import.meta.glob<PersonTexts>('./*.ts', { base: './messages/person', import: 'texts' }),
)

/** Texts of the operator's pages, which are loaded with them. */
export const OPERATOR_CATALOGUES = /* @__PURE__ */ byTag(
  import.meta.glob<OperatorTexts>('./*.ts', { base: './messages/operator', import: 'texts' }),
)
