import { Unavailable } from '@prelude/platform'
import { ProviderFailure } from '../providers/provider-failure.ts'

/** So many rows in succession without any answer: the provider or the database is down, and each further row would wait in vain. */
const MOST_UNANSWERED = 3

/**
 * Works through the rows of a job until the signal aborts. A row that fails does not end the round, so that no row can hold up
 * the rows after it; the first error is thrown at the end.
 */
export async function eachRow<T>(
  rows: AsyncIterable<T> | Iterable<T>,
  signal: AbortSignal,
  work: (row: T) => Promise<void>,
): Promise<void> {
  const errors: unknown[] = []
  let unanswered = 0
  for await (const row of rows) {
    if (signal.aborted || unanswered === MOST_UNANSWERED) break
    try {
      await work(row)
      unanswered = 0
    } catch (error) {
      errors.push(error)
      unanswered = isUnanswered(error) ? unanswered + 1 : 0
    }
  }
  for (const error of errors) throw error
}

const isUnanswered = (error: unknown): boolean =>
  error instanceof Unavailable || (error instanceof ProviderFailure && error.answered === null)

interface Position {
  readonly createdAt: number
  readonly id: string
}

const BEFORE_ALL: Position = { createdAt: -1, id: '00000000-0000-0000-0000-000000000000' }

/** A list in the order of time and id that is read a page at a time. */
export async function* everyPage<T extends Position>(
  next: (after: Position) => Promise<readonly T[]>,
): AsyncGenerator<T> {
  for (let page = await next(BEFORE_ALL); page.length > 0; page = await next(page.at(-1) ?? BEFORE_ALL))
    yield* page
}
