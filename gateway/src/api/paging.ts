import { MAX_CURSOR } from '@prelude/contracts'
import { AppError } from '@prelude/platform'
import { Type } from 'typebox'

/** Query parameters are text and nothing is coerced: "1" to "100" (MAX_PAGE). */
export const pageQuery = {
  limit: Type.Optional(
    Type.String({ pattern: '^([1-9]|[1-9][0-9]|100)$', description: '1 to 100, 50 if not given' }),
  ),
  cursor: Type.Optional(Type.String({ description: "the last page's nextCursor" })),
}

const DEFAULT_LIMIT = 50

const CURSOR = new RegExp(`^[\\x21-\\x7e]{1,${MAX_CURSOR}}$`)

/** Errors: invalid_cursor. */
export function pageOf(query: { limit?: string; cursor?: string }): { limit: number; cursor?: string } {
  const { limit, cursor } = query
  if (cursor !== undefined && !CURSOR.test(cursor)) throw new AppError('invalid_cursor')
  return { limit: Number(limit ?? DEFAULT_LIMIT), ...(cursor !== undefined && { cursor }) }
}
