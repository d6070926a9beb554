import type { Database, Query, Tx } from '../../src/database/index.ts'

/** Connections of this database that wait for a lock of another one. */
export async function blockedConnections(db: Query): Promise<number> {
  const { rowCount } = await db.query(
    'select from pg_stat_activity where cardinality(pg_blocking_pids(pid)) > 0 and datname = current_database()',
  )
  return rowCount ?? 0
}

/** Runs `work` in a transaction that stays open, with its locks, until the returned function is called; that answers the result. */
export async function holdOpen<T>(db: Database, work: (tx: Tx) => Promise<T>): Promise<() => Promise<T>> {
  const [done, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const held = db.transaction(async (tx) => {
    const result = await work(tx)
    done.resolve()
    await release.promise
    return result
  })
  await Promise.race([done.promise, held])
  return () => {
    release.resolve()
    return held
  }
}
