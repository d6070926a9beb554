import type { Admin } from 'kafkajs'
import type { Topic } from '@prelude/contracts'
import { Unavailable } from '../../errors.ts'
import { once } from '../../once.ts'
import type { Logger } from '../../observability/index.ts'
import { eachTopic } from '../each-topic.ts'
import type { EventBus } from '../port.ts'
import { startForwarder } from './forwarder.ts'
import { kafkaClient, kafkaAddress, type KafkaAddress, replaceable } from './kafka-client.ts'
import type { Identity } from '../../identity.ts'
import { groupOf, startConsumer } from './kafka-consumer.ts'
import { kafkaProducer } from './kafka-producer.ts'

interface KafkaBusOptions {
  /** See `kafkaAddress`. */
  readonly url: string
  /** Signs what this process forwards and verifies what it receives; without it neither is possible. */
  readonly identity?: Identity | undefined
  readonly logger: Logger
  /** A consumer cannot recover, or the log has lost events that were forwarded: the process should end, and its supervisor start a new one. */
  readonly onFatal: (error: Error) => void
}

/** Of each topic. */
export const PARTITIONS = 12
const ADMIN_TIMEOUT_MS = 4_000
const NOBODY = 'Events are published and received as a service only.'

/** Events in Kafka, forwarded from each service's log. At least once: consumers drop messages that their cursors have passed. */
export function kafkaBus({ url, identity, logger, onFatal }: KafkaBusOptions): EventBus {
  const address = kafkaAddress(url)
  const producer = identity && kafkaProducer(address, identity, logger)
  const admin = replaceable((onConnect) => kafkaClient(address, logger, onConnect).admin())
  const ask = <T>(work: (admin: Admin) => Promise<T>): Promise<T> =>
    admin.use(ADMIN_TIMEOUT_MS, work).catch((error: unknown) => {
      throw new Unavailable('Kafka', error)
    })
  const ping = async (): Promise<void> => {
    await ask((client) => client.describeCluster())
  }

  return {
    publish: (options) => {
      if (!producer) throw new Error(NOBODY)
      return startForwarder(options, producer.send, { onFatal })
    },
    subscribe: async ({ group, topics, receive }) => {
      if (!identity) throw new Error(NOBODY)
      return eachTopic(topics, (topic) => ({
        ...startConsumer({
          address,
          identity,
          group,
          topic,
          receive,
          logger,
          ping,
          partitions: once(() => ask((client) => partitionsOf(client, address.prefix + topic))),
          onFatal,
        }),
        lag: () => ask((client) => lagOf(client, address, group, topic)),
      }))
    },
    ping,
    close: async () => {
      await producer?.close()
      await admin.close()
    },
  }
}

async function partitionsOf(admin: Admin, name: string): Promise<number> {
  const { topics } = await admin.fetchTopicMetadata({ topics: [name] })
  return topics[0]?.partitions.length ?? PARTITIONS
}

async function lagOf(admin: Admin, address: KafkaAddress, group: string, topic: Topic): Promise<number> {
  const name = address.prefix + topic
  const ends = await admin.fetchTopicOffsets(name)
  const [read] = await admin.fetchOffsets({ groupId: groupOf(address, group, topic), topics: [name] })
  const positions = new Map(read?.partitions.map(({ partition, offset }) => [partition, Number(offset)]))
  return ends.reduce(
    (sum, { partition, high, low }) =>
      sum + Math.max(0, Number(high) - Math.max(Number(low), positions.get(partition) ?? 0)),
    0,
  )
}
