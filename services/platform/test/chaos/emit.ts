import { setTimeout as delay } from 'node:timers/promises'
import type { PostgresDatabase } from '../../src/database/index.ts'
import { chooser } from '../support/chooser.ts'
import { Counted } from '../conformance/counted.ts'
import { AGGREGATES } from './env.ts'

/** Changes aggregates and emits as a service does, so that readers in the same process get the events from memory. */
export async function emit(db: PostgresDatabase, seed: number): Promise<never> {
  const choose = chooser(seed)
  for (;;) {
    const uid = `a${choose(AGGREGATES)}`
    const events = choose(50) === 0 ? 1 + choose(600) : 1
    const sql = 'update aggregate set n = n + $2 where uid = $1 returning n'
    await db
      .transaction(async (tx) => {
        const last = (await tx.query<{ n: number }>(sql, [uid, events])).rows[0]?.n ?? 0
        for (let n = last - events + 1; n <= last; n++) tx.emit(Counted, { uid, n })
      })
      .catch(() => {}) // the server was killed
    await delay(choose(10))
  }
}
