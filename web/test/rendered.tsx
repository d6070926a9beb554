import { QueryClientProvider } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { queryClient } from '../src/api/query-client.ts'
import { OPERATOR_CATALOGUES, PERSON_CATALOGUES, VISITOR_CATALOGUES } from '../src/languages.ts'
import { loadPageTexts, restoreLanguage } from '../src/messages.ts'

/** Components as they are first rendered, without a browser, from what the query client holds. Import browser.ts before it. */

/** All texts, in English. Call it before a test renders. */
export async function loadTexts(): Promise<void> {
  await restoreLanguage(VISITOR_CATALOGUES)
  for (const catalogues of [PERSON_CATALOGUES, OPERATOR_CATALOGUES]) await loadPageTexts(catalogues)
}

export const markupOf = (node: ReactNode): string =>
  renderToStaticMarkup(<QueryClientProvider client={queryClient}>{node}</QueryClientProvider>)

/** What a person reads of it. */
export const textOf = (node: ReactNode): string =>
  markupOf(node)
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
