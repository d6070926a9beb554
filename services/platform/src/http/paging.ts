import { AppError } from '../errors.ts'
import { isId } from '../ids.ts'

type Kinds = readonly ('string' | 'number' | 'id')[]
type Position<K extends Kinds> = { [I in keyof K]: K[I] extends 'number' ? number : string }

/**
 * A page of a list, by keyset. `read` answers at most `most` items after a position; `positionOf` answers an item's sort key,
 * whose values are of these kinds. One item more than the page holds is read: if it exists, there is a next page. Errors: invalid_cursor.
 */
export async function paged<T, const K extends Kinds>(
  { cursor, limit = 50 }: { readonly cursor?: string | undefined; readonly limit?: number | undefined },
  kinds: K,
  read: (after: Position<K> | null, most: number) => Promise<readonly T[]>,
  positionOf: (item: T) => Position<K>,
): Promise<{ items: T[]; nextCursor: string | null }> {
  const found = await read(cursor === undefined ? null : decodeCursor(cursor, kinds), limit + 1)
  const items = found.slice(0, limit)
  const last = found.length > limit ? items.at(-1) : undefined
  return { items, nextCursor: last === undefined ? null : encodeCursor(positionOf(last)) }
}

/** Before the first item of a list by time and id, newest first. */
export const FROM_NEWEST: readonly [at: number, id: string] = [
  Number.MAX_SAFE_INTEGER,
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
]

/** Keyset cursors: the sort key of the last item, opaque outside. */
const encodeCursor = (values: readonly (string | number)[]): string =>
  Buffer.from(JSON.stringify(values)).toString('base64url')

/** Errors: invalid_cursor when it is not one of ours with values of these kinds. */
function decodeCursor<const K extends Kinds>(cursor: string, kinds: K): Position<K> {
  try {
    const values: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    if (
      Array.isArray(values) &&
      values.length === kinds.length &&
      values.every((value, i) => isOfKind(value, kinds[i])) &&
      encodeCursor(values as (string | number)[]) === cursor
    ) {
      return values as unknown as Position<K>
    }
  } catch {
    // not ours
  }
  throw new AppError('invalid_cursor')
}

function isOfKind(value: unknown, kind: Kinds[number] | undefined): boolean {
  if (kind === 'number') return Number.isSafeInteger(value)
  // PostgreSQL takes no NUL
  return typeof value === 'string' && !value.includes('\0') && (kind !== 'id' || isId(value))
}
