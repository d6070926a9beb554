import { AppError } from './errors.ts'

/** Keyset cursors: the sort key of the last item, opaque outside. */
export const encodeCursor = (parts: readonly (string | number)[]): string =>
  Buffer.from(JSON.stringify(parts)).toString('base64url')

/** Errors: invalid_cursor when it is not one of ours with this many parts of these types. */
export function decodeCursor<const T extends readonly ('string' | 'number')[]>(
  cursor: string,
  types: T,
): { [K in keyof T]: T[K] extends 'number' ? number : string } {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    if (
      Array.isArray(parts) &&
      parts.length === types.length &&
      parts.every(
        (part, i) => typeof part === types[i] && (typeof part !== 'number' || Number.isSafeInteger(part)),
      ) &&
      encodeCursor(parts as (string | number)[]) === cursor
    ) {
      return parts as unknown as { [K in keyof T]: T[K] extends 'number' ? number : string }
    }
  } catch {
    // not ours: said below
  }
  throw new AppError('invalid_cursor')
}
