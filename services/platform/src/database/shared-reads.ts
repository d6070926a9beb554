import type { Pool, PoolClient } from 'pg'

/** Statements in flight on one connection; with more, the last one would wait for too many others. */
const MOST = 32

interface Lane {
  readonly connection: Promise<PoolClient>
  open: number
  broken: Error | undefined
}

/**
 * Pipelines concurrent short reads over a few connections of the pool. The server is woken once for many statements;
 * with a connection for each caller, every statement would wake a process. A connection returns to the pool when it has
 * no statement in flight.
 */
export function sharedReads(
  pool: Pool,
  lanes: number,
  isBroken: (error: unknown) => boolean,
): <T>(ask: (connection: PoolClient) => Promise<T>) => Promise<T> {
  const open: (Lane | undefined)[] = Array.from({ length: lanes })
  let next = 0

  const lane = (): { at: number; lane: Lane } => {
    let at = next++ % lanes
    // the least busy one; round robin among equals
    for (let i = 0; i < lanes; i++) if ((open[i]?.open ?? 0) < (open[at]?.open ?? 0)) at = i
    const found = open[at]
    if (found && found.open < MOST) return { at, lane: found }
    const fresh: Lane = { connection: pool.connect(), open: 0, broken: undefined }
    open[at] = fresh
    return { at, lane: fresh }
  }
  const leave = async (at: number, left: Lane): Promise<void> => {
    left.open--
    if (left.broken && open[at] === left) open[at] = undefined // no new statements on a broken connection
    if (left.open > 0) return
    if (open[at] === left) open[at] = undefined
    const connection = await left.connection.catch(() => null)
    connection?.release(left.broken)
  }

  return async (ask) => {
    const { at, lane: mine } = lane()
    mine.open++
    try {
      return await ask(await mine.connection)
    } catch (error) {
      if (isBroken(error)) mine.broken = error as Error
      throw error
    } finally {
      void leave(at, mine)
    }
  }
}
