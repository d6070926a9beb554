import type { Query } from './port.ts'

const MOST_ROWS = 10_000

/** Which rows of a table: `where` has the parameters `$1`, … */
interface Selection {
  readonly table: string
  readonly where: string
  readonly params: readonly unknown[]
}

/**
 * Calls `remove`, which removes at most so many rows and answers how many, until none is left or the signal aborts. One statement for
 * all rows may exceed its limit, and would then have more to do each time.
 */
export async function inSteps(remove: (most: number) => Promise<number>, signal: AbortSignal): Promise<void> {
  let removed = MOST_ROWS
  while (removed === MOST_ROWS && !signal.aborted) removed = await remove(MOST_ROWS)
}

/** Deletes rows in steps. */
export const deleteInSteps = (
  db: Query,
  { table, where, params }: Selection,
  signal: AbortSignal,
): Promise<void> =>
  inSteps(async (most) => {
    const some = `select ctid from ${table} where ${where} limit ${most}`
    // the condition once more: a row that was changed meanwhile may not meet it any more
    const sql = `delete from ${table} where ctid = any(array(${some})) and ${where}`
    return (await db.query(sql, params)).rowCount
  }, signal)
