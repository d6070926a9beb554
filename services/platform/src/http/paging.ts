import { AppError } from '../errors.ts'

type Kinds = readonly ('string' | 'number')[]
type Place<K extends Kinds> = { [I in keyof K]: K[I] extends 'number' ? number : string }

/**
 * A page of a list. `read` answers so many of those that follow a place; `placeOf` says where an item stands, by values
 * of these kinds. One more than the page holds tells whether there is a next. Errors: invalid_cursor.
 */
export async function paged<T, const K extends Kinds>(
  { cursor, limit = 50 }: { readonly cursor?: string | undefined; readonly limit?: number | undefined },
  kinds: K,
  read: (after: Place<K> | null, most: number) => Promise<readonly T[]>,
  placeOf: (item: T) => Place<K>,
): Promise<{ items: T[]; nextCursor: string | null }> {
  const found = await read(cursor === undefined ? null : decodeCursor(cursor, kinds), limit + 1)
  const items = found.slice(0, limit)
  const last = found.length > limit ? items.at(-1) : undefined
  return { items, nextCursor: last === undefined ? null : encodeCursor(placeOf(last)) }
}

/** Keyset cursors: the sort key of the last item, opaque outside. */
export const encodeCursor = (parts: readonly (string | number)[]): string =>
  Buffer.from(JSON.stringify(parts)).toString('base64url')

/** Errors: invalid_cursor when it is not one of ours with this many parts of these types. */
export function decodeCursor<const K extends Kinds>(cursor: string, kinds: K): Place<K> {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    if (
      Array.isArray(parts) &&
      parts.length === kinds.length &&
      parts.every(
        (part, i) => typeof part === kinds[i] && (typeof part !== 'number' || Number.isSafeInteger(part)),
      ) &&
      encodeCursor(parts as (string | number)[]) === cursor
    ) {
      return parts as unknown as Place<K>
    }
  } catch {
    // not ours: said below
  }
  throw new AppError('invalid_cursor')
}
