import { MAX_PAGE } from '@prelude/contracts'

interface Page<T> {
  readonly items: readonly T[]
  readonly nextCursor: string | null
}

/** Every item of a list, newest first. */
export async function* everyPage<T>(
  read: (page: { limit: number; cursor?: string }) => Promise<Page<T>>,
): AsyncGenerator<T> {
  let cursor: string | null = null
  do {
    const page: Page<T> = await read({ limit: MAX_PAGE, ...(cursor !== null && { cursor }) })
    yield* page.items
    cursor = page.nextCursor
  } while (cursor !== null)
}
