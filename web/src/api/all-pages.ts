import { MAX_PAGE } from '@prelude/contracts'
import { api } from './client.ts'
import type { Page } from './pages.ts'

/** All items of a list, page after page. `path` ends with its query string. */
export async function fetchAllPages<T>(path: string, signal: AbortSignal): Promise<readonly T[]> {
  const items: T[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: Page<T> = await api.get(`${path}&limit=${MAX_PAGE}${cursor && `&cursor=${cursor}`}`, {
      signal,
    })
    items.push(...page.items)
    cursor = page.nextCursor
  }
  return items
}
