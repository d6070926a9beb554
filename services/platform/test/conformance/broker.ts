import { Kafka, logLevel } from 'kafkajs'
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { Unavailable } from '../../src/errors.ts'
import { partitionOf } from '../../src/events/index.ts'
import { startForwarder } from '../../src/events/kafka/forwarder.ts'
import { kafkaAddress } from '../../src/events/kafka/kafka-client.ts'
import { groupOf } from '../../src/events/kafka/kafka-consumer.ts'
import { kafkaProducer } from '../../src/events/kafka/kafka-producer.ts'
import { eventually } from '../support/eventually.ts'
import { failTest, testIdentity, testLogger } from '../support/index.ts'
import { startPair } from './events.ts'
import { type BusUnderTest, collect, collector, numbers, openSource, TOPIC, upTo } from './source.ts'

/** Rules beyond those of the port, for a bus with a broker between the logs and the consumers. */
export function brokerConformance(name: string, open: () => Promise<BusUnderTest>): void {
  test(`${name}: forwarders without an election, each starting anywhere, cause each effect once and in order`, async () => {
    await using pair = await startPair(open)
    const { source } = pair
    const producers = [1, 2].map(() =>
      kafkaProducer(kafkaAddress(source.busUrl), testIdentity('songs'), testLogger()),
    )
    const zombies = producers.map(({ send }) =>
      startForwarder(
        { topic: TOPIC, db: source.db, databaseUrl: source.adminUrl, logger: testLogger() },
        async (topic, events) => {
          await send(topic, events)
          await source.db.query(`update cursor set position = greatest(0, position - 20) where topic = $1`, [
            topic,
          ])
        },
        { exclusive: false, onFatal: failTest },
      ),
    )
    for (const n of upTo(100)) {
      await source.emit(`u${n % 5}`, 1)
      for (const zombie of zombies) zombie.wake()
    }
    for (const i of upTo(5))
      await eventually(async () => expect(await pair.tally(`u${i}`)).toEqual({ total: 20, inOrder: true }))
    await Promise.all(zombies.map((zombie) => zombie.stop()))
    await Promise.all(producers.map((producer) => producer.close()))
  })

  test(`${name}: a message that is no event becomes one dead letter with its raw text, also when delivered again, and parks its key alone`, async () => {
    await using pair = await startPair(open)
    const address = kafkaAddress(pair.source.busUrl)
    const kafka = new Kafka({ brokers: [...address.brokers], logLevel: logLevel.NOTHING })
    const producer = kafka.producer()
    await producer.connect()
    await producer.send({
      topic: address.prefix + TOPIC,
      messages: [{ key: 'u', partition: partitionOf('u', 12), value: '{"not": "an event"' }],
    })
    await producer.disconnect()
    const letters = () => pair.sink.db.query('select key, value from dead_letter order by id')
    await eventually(async () =>
      expect((await letters()).rows).toEqual([{ key: 'u', value: '{"not": "an event"' }]),
    )
    await pair.emit('other', 7)
    await eventually(async () => expect((await pair.tally('other'))?.total).toBe(7))
    await pair.stopSink()
    const admin = kafka.admin()
    await admin.connect()
    const groupId = groupOf(address, 'credits', TOPIC)
    await admin.resetOffsets({ groupId, topic: address.prefix + TOPIC, earliest: true })
    await admin.disconnect()
    const again = await pair.sink.start()
    // behind it in the same partition, and of its key: the message was delivered again once this one is a dead letter
    await pair.emit('u', 1)
    const behind = `select from dead_letter where error = 'an earlier event of this key is parked'`
    await eventually(async () => expect((await pair.sink.db.query(behind)).rowCount).toBe(1))
    expect((await letters()).rows).toHaveLength(2)
    await again.stop()
  })

  test(`${name}: a message's partition is the CRC-32 of its key, which SQL computes too`, async () => {
    await using source = await openSource(open)
    for (const key of ['a', 'Zoë', '0192f2c5-0000-7000-8000-000000000000']) {
      const sql = `select crc32(convert_to($1, 'UTF8')) % 12 as partition`
      expect((await source.db.query(sql, [key])).rows).toEqual([{ partition: partitionOf(key, 12) }])
    }
  })

  test(`${name}: a topic whose number of partitions has changed is not read on with old cursors`, async () => {
    await using pair = await startPair(open)
    await pair.emit('u', 1)
    await eventually(async () => expect((await pair.tally('u'))?.total).toBe(1))
    await pair.stopSink()
    await pair.sink.db.query('update cursor set partitions = 3')
    const again = await pair.sink.start()
    await pair.emit('u', 1)
    await pair.source.ran('select position, partitions from cursor', 2)
    expect((await pair.tally('u'))?.total).toBe(1)
    await pair.sink.db.query('update cursor set partitions = 12')
    await eventually(async () => expect((await pair.tally('u'))?.total).toBe(2))
    await again.stop()
  })
}

/** A broker that a test may take away. */
export interface BrokerUnderTest extends BusUnderTest {
  /** Without closing its connections. */
  kill(): Promise<void>
  start(): Promise<void>
  /** Keeps its connections and answers nothing. */
  freeze(): Promise<void>
  thaw(): Promise<void>
}

/** What must hold while the broker is away. */
export function brokerOutages(name: string, open: () => Promise<BrokerUnderTest>): void {
  test(`${name}: a broker that dies while events flow costs none of them and not their order`, async () => {
    const broker = await open()
    await using source = await openSource(async () => broker)
    const { seen, subscription } = await collect(source.bus, { from: 'newest' })
    for (const n of upTo(20)) await source.emit('a', n)
    await eventually(() => expect(numbers(seen, 'a')).toContain(5))
    const flowing = (async () => {
      for (const n of upTo(60).slice(20)) await source.emit('a', n)
    })()
    await broker.kill()
    await broker.start()
    await flowing
    await eventually(() => expect(numbers(seen, 'a')).toEqual(upTo(60)))
    await eventually(async () => expect(await subscription.lag()).toBe(0))
    await subscription.stop()
  })

  test(`${name}: a broker that does not answer delays no start, emit or stop, and the events are forwarded later`, async () => {
    const broker = await open()
    await using source = await openSource(async () => broker)
    await source.emit('a', 0)
    await eventually(async () => expect((await source.publisher.backlog())?.events).toBe(0))
    await broker.freeze()
    const { seen, receive } = collector()
    try {
      const subscription = await source.bus.subscribe({
        group: randomUUID(),
        topics: [TOPIC],
        from: 'newest',
        receive,
      })
      await Promise.all([
        expect(source.bus.ping()).rejects.toBeInstanceOf(Unavailable),
        source.emit('a', 1),
        subscription.stop(),
      ])
      expect((await source.publisher.backlog())?.events).toBe(1)
    } finally {
      await broker.thaw()
    }
    const subscription = await source.bus.subscribe({
      group: randomUUID(),
      topics: [TOPIC],
      from: 'newest',
      receive,
    })
    await eventually(() => expect(numbers(seen, 'a')).toEqual([0, 1]))
    await subscription.stop()
  })
}
