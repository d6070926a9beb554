import type pg from 'pg'

/** While events flow it is looked so often how far all are sent; a look holds for twice as long. */
const LOOK_MS = 1_000

/** An id from which on the outbox is read. */
export interface OutboxFloor {
  /** Nothing at or below it waits. 0 when the last look is too long ago. */
  current(): number
  isDue(): boolean
  /** Looks. `seen`: the highest id that was read before. */
  raise(seen: number): Promise<void>
}

/**
 * How far everything is sent. What is sent is deleted, and until the next vacuum a read from the beginning passes over all of
 * that again: thousands a second.
 *
 * Ids may commit out of order, so what was seen is not all there is below. But whoever drew a lower id had written before, to
 * take its key's lock, so that its transaction's id is lower than one that is assigned now. When a later snapshot finds none as
 * low as that still open, all ids up to there can be seen, or never will be; the lowest that waits in that snapshot is the
 * floor. (Not `pg_snapshot_xmax`: open transactions can lie beyond it.) What is put back lower down later, to be sent again,
 * lowers it at the next look.
 */
export function outboxFloor(connection: pg.Client): OutboxFloor {
  let floor = 0
  let lookedAt = -Infinity
  let settling: { readonly upTo: number; readonly before: number } | undefined
  return {
    current: () => (Date.now() - lookedAt < 2 * LOOK_MS ? floor : 0),
    isDue: () => Date.now() - lookedAt >= LOOK_MS,
    raise: async (seen) => {
      const { rows } = await connection.query<{ own: number; oldest: number; lowest: number | null }>(
        `select pg_current_xact_id()::text::bigint as own,
           pg_snapshot_xmin(pg_current_snapshot())::text::bigint as oldest,
           (select min(id) from outbox_unsent) as lowest`,
      )
      const [look] = rows
      if (!look) throw new Error('no answer')
      if (settling && look.oldest >= settling.before) {
        floor = settling.upTo
        settling = undefined
      }
      floor = Math.min(floor, (look.lowest ?? Infinity) - 1)
      settling ??= { upTo: seen, before: look.own }
      lookedAt = Date.now()
    },
  }
}
