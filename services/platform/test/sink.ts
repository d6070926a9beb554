import { randomUUID } from 'node:crypto'
import type { Database } from '../src/database/index.ts'
import type { Handler, Subscriber } from '../src/events/index.ts'
import type { Logger } from '../src/observability/index.ts'
import { createConsumer, messageOf, testLogger, testService, wholeLog } from './support/index.ts'
import { Counted, TOPIC } from './conformance/counted.ts'

/** `credits` as a consumer that adds up numbered events; the test delivers them. */

export const add: Handler<typeof Counted> = async ({ data: { uid, n } }, tx) => {
  await tx.query(
    `insert into tally (uid, total) values ($1, $2) on conflict (uid) do update set total = tally.total + $2`,
    [uid, n],
  )
}

export const event = (position: number, uid = 'u', n = 1) =>
  messageOf(Counted, { uid, n }, { id: randomUUID(), position, at: 1 })

export async function startSink(...subscribers: Subscriber[]) {
  const migrations = new URL('tally/', import.meta.url)
  const service = await testService(() => ({ name: 'credits', migrations, subscribers, routes: () => {} }))
  const newConsumer = (db: Database = service.db, logger: Logger = testLogger()) =>
    createConsumer({ service: 'credits', db, subscribers, logger })
  const consumer = newConsumer()
  const batchOf = (messages: ReturnType<typeof event>[]) => wholeLog(TOPIC, messages)
  return {
    service,
    newConsumer,
    batchOf,
    receive: (...messages: ReturnType<typeof event>[]) => consumer.receive(batchOf(messages)),
    totals: async () =>
      Object.fromEntries(
        (await service.db.query<{ uid: string; total: number }>('select uid, total from tally')).rows.map(
          ({ uid, total }) => [uid, total],
        ),
      ),
    cursor: async () =>
      (await service.db.query('select position, taken from cursor where topic = $1', [TOPIC])).rows[0],
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}
