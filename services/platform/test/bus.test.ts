import { expect, test, vi } from 'vitest'
import { withOwnerConnection } from '../src/database/index.ts'
import { logBus } from '../src/events/log-bus.ts'
import { isEvent } from '../src/events/port.ts'
import { eventually } from './support/eventually.ts'
import { failTest, testLogger, testPorts } from './support/index.ts'
import { busConformance } from './conformance/bus.ts'
import { collect, numbers, openSource, TOPIC } from './conformance/source.ts'

busConformance('event log', () => testPorts())

test('an event of another process is received when it is announced, not at the next poll', async () => {
  await using source = await openSource(() => testPorts())
  const never = logBus({
    url: source.busUrl,
    logger: testLogger(),
    onFatal: failTest,
    pollMs: 24 * 60 * 60_000,
  })
  const { seen, subscription } = await collect(never)
  for (const n of [0, 1]) {
    await source.emit('a', n)
    await eventually(() => expect(numbers(seen, 'a')).toContain(n))
  }
  await subscription.stop()
  await never.close()
})

test('the only process that subscribes notifies no other, and receives what others append', async () => {
  await using source = await openSource(() => testPorts())
  const options = { url: source.busUrl, logger: testLogger(), onFatal: failTest }
  const only = logBus({ ...options, onlySubscriber: true, pollMs: 24 * 60 * 60_000 })
  const { seen, subscription } = await collect(only)
  await source.emit('a', 0)
  await eventually(() => expect(numbers(seen, 'a')).toEqual([0]))
  const statements: string[] = []
  const query: typeof source.db.query = (sql, params) => {
    statements.push(sql)
    return source.db.query(sql, params)
  }
  const own = only.publish({
    ...options,
    topic: TOPIC,
    db: { ...source.db, query },
    databaseUrl: options.url,
  })
  own.wake()
  await own.stop()
  expect(statements).toEqual([])
  await subscription.stop()
  await only.close()
})

test('after an error a consumer gets nothing from memory that the log has lost, and the process ends', async () => {
  await using source = await openSource(() => testPorts())
  const onFatal = vi.fn<(error: Error) => void>()
  const bus = logBus({ url: source.busUrl, logger: testLogger(), onFatal })
  for (const n of [1, 2, 3]) await source.emit('a', n)
  let cursor = 0
  const seen: number[] = []
  const subscription = await bus.subscribe({
    group: 'credits',
    topics: [TOPIC],
    from: async () => cursor,
    receive: async ({ messages }) => {
      const positions = messages.filter(isEvent).map(({ position }) => position)
      seen.push(...positions)
      if (cursor < 3) return void (cursor = positions.at(-1) ?? cursor)
      // the database of the consumer and of the log is its replica now, which has the first event alone
      await withOwnerConnection(source.adminUrl, (owner) =>
        owner.query('delete from songs.event where position > 1'),
      )
      cursor = 1
      throw new Error('the connection is lost')
    },
  })
  await eventually(() => expect(cursor).toBe(3))
  await source.emit('a', 4)
  await eventually(() => expect(onFatal).toHaveBeenCalledOnce())
  await subscription.stop()
  await bus.close()
  expect(seen).toEqual([1, 2, 3, 4])
})

test('a subscription is called at the end of the log, after the batch before it', async () => {
  await using source = await openSource(() => testPorts())
  const calls: string[] = []
  const subscription = await source.bus.subscribe({
    group: 'credits',
    topics: [TOPIC],
    from: async () => 0,
    receive: async () => void calls.push('batch'),
    atEnd: async (topic) => void calls.push(`end of ${topic}`),
  })
  await source.emit('a', 1)
  await eventually(() => expect(calls.join()).toContain(`batch,end of ${TOPIC}`))
  await subscription.stop()
})
