import { setTimeout as delay } from 'node:timers/promises'
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
import { accessRules } from './access.ts'
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

export const PARTITIONS = 12
/** With min.insync.replicas=2 one broker may fail. */
const REPLICAS = 3
const RETENTION_MS = 14 * 24 * 60 * 60 * 1000
const ADMIN_TIMEOUT_MS = 4_000
const CREATE_WITHIN_MS = 30_000
const SERVED_WITHIN_MS = 20_000
const SERVED_POLL_MS = 50
const NOBODY = 'Events are published and received as a service only.'

/** Events in Kafka, forwarded from each service's log. At least once: consumers drop messages that their cursors have passed. */
export function kafkaBus({ url, identity, logger, onFatal }: KafkaBusOptions): EventBus {
  const address = kafkaAddress(url)
  const producer = identity && kafkaProducer(address, identity, logger)
  const admin = replaceable((onConnect) => kafkaClient(address, logger, onConnect).admin())
  const ask = <T>(work: (admin: Admin) => Promise<T>, ms = ADMIN_TIMEOUT_MS): Promise<T> =>
    admin.use(ms, work).catch((error: unknown) => {
      throw new Unavailable('Kafka', error)
    })
  const ping = async (): Promise<void> => {
    await ask((client) => client.describeCluster())
  }

  return {
    createTopics: (topics) =>
      ask(async (client) => {
        const names = topics.map((topic) => address.prefix + topic)
        await createMissing(client, names)
        await untilServed(client, names)
        if (!address.sasl) return
        await warnOfFewReplicas(client, names, logger)
        await grantAccess(client, address.prefix, logger)
      }, CREATE_WITHIN_MS),
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
    countMessages: (topics) =>
      ask((client) =>
        messagesIn(
          client,
          topics.map((topic) => address.prefix + topic),
        ),
      ),
    ping,
    close: async () => {
      await producer?.close()
      await admin.close()
    },
  }
}

/** Needs the right to change them, and a cluster that has any: else its owner does (docs/operations/deploy.md names them). */
async function grantAccess(admin: Admin, prefix: string, logger: Logger): Promise<void> {
  try {
    await admin.createAcls({ acl: accessRules(prefix) })
    logger.info('the access rules of the topics are set')
  } catch (error) {
    const { type } = error as { type?: string }
    if (type !== 'CLUSTER_AUTHORIZATION_FAILED' && type !== 'SECURITY_DISABLED') throw error
    logger.warn({ reason: type }, 'the access rules of the topics were not set')
  }
}

/** A cluster's default is 1 where its owner has not set it. A single broker, as that in containers, can have no more. */
async function warnOfFewReplicas(admin: Admin, names: readonly string[], logger: Logger): Promise<void> {
  const { brokers } = await admin.describeCluster()
  if (brokers.length < REPLICAS) return
  const { topics } = await admin.fetchTopicMetadata({ topics: [...names] })
  const few = topics.filter(({ partitions }) => partitions.some(({ replicas }) => replicas.length < REPLICAS))
  if (few.length > 0)
    logger.warn(
      { topics: few.map(({ name }) => name) },
      `topics have fewer than ${REPLICAS} replicas: one broker that fails can stop or lose events`,
    )
}

async function partitionsOf(admin: Admin, name: string): Promise<number> {
  const { topics } = await admin.fetchTopicMetadata({ topics: [name] })
  return topics[0]?.partitions.length ?? PARTITIONS
}

async function createMissing(admin: Admin, names: readonly string[]): Promise<void> {
  const there = await admin.listTopics()
  const missing = names.filter((name) => !there.includes(name))
  if (missing.length === 0) return
  await admin.createTopics({
    waitForLeaders: false, // it gives up at a broker that does not have the topic yet
    topics: missing.map((topic) => ({
      topic,
      numPartitions: PARTITIONS,
      replicationFactor: -1, // as the cluster's owner decided
      configEntries: [{ name: 'retention.ms', value: String(RETENTION_MS) }],
    })),
  })
}

/** For a short time, a new topic is unknown to a broker or to its leaders, or has no leaders. */
async function untilServed(admin: Admin, names: readonly string[]): Promise<void> {
  const deadline = performance.now() + SERVED_WITHIN_MS
  for (;;) {
    const problem = await missingLeaders(admin, names).catch((error: unknown) => error)
    if (problem === null) return
    if (performance.now() > deadline) throw problem
    await delay(SERVED_POLL_MS)
  }
}

async function missingLeaders(admin: Admin, names: readonly string[]): Promise<Error | null> {
  const { topics } = await admin.fetchTopicMetadata({ topics: [...names] })
  const served = topics.filter(
    ({ partitions }) => partitions.length > 0 && partitions.every(({ leader }) => leader >= 0),
  )
  if (served.length < names.length) return new Error('topics without leaders')
  // the leader may not have the topic yet
  await Promise.all(names.map((name) => admin.fetchTopicOffsets(name)))
  return null
}

async function messagesIn(admin: Admin, names: readonly string[]): Promise<number> {
  const there = await admin.listTopics()
  const ends = await Promise.all(
    names.filter((name) => there.includes(name)).map((name) => admin.fetchTopicOffsets(name)),
  )
  return ends.flat().reduce((sum, { high, low }) => sum + Number(high) - Number(low), 0)
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
