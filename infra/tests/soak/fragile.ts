import type { Database, Query, Tx } from '@prelude/platform'

/** The process that was working is gone: nothing it held survives but what it committed. */
class Crash extends Error {
  override readonly name = 'Crash'
}

/** A database that loses its process at a chosen point. */
export interface Fragile extends Database {
  /** The `n`th step from here on, counting statements, commits and what comes after a commit, is never finished. */
  crashAt(n: number): void
  readonly isDead: boolean
}

/** `onStep` is called before each step, `onCrash` with the statement that is lost. */
export function fragile(
  db: Database,
  { onStep, onCrash }: { onStep: () => void; onCrash: (statement: string) => void },
): Fragile {
  let stepsLeft = Infinity
  let isDead = false
  const step = (statement: string): void => {
    onStep()
    if (!isDead && stepsLeft-- > 1) return
    if (!isDead) onCrash(statement)
    isDead = true
    throw new Crash('the process is gone')
  }
  const counted = (query: Query): Query['query'] => {
    return async (sql, params) => {
      step(sql)
      return query.query(sql, params)
    }
  }
  return {
    query: counted(db),
    transaction: async (work, options) => {
      step('begin')
      const result = await db.transaction(async (tx: Tx) => {
        const done = await work({
          query: counted(tx),
          execute: (sql, params) => {
            step(sql)
            tx.execute(sql, params)
          },
          emit: (event, data, cause) => tx.emit(event, data, cause),
        })
        step('commit') // rolled back
        return done
      }, options)
      step('after commit') // the caller does not learn of it
      return result
    },
    close: () => db.close(),
    crashAt: (n) => {
      stepsLeft = n
    },
    get isDead() {
      return isDead
    },
  }
}
