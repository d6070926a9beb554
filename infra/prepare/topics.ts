import { setTimeout as delay } from 'node:timers/promises'
import type { Topic } from '@prelude/contracts'
import { kafkaAddress, kafkaClient, type Logger, PARTITIONS, Unavailable, within } from '@prelude/platform'
import type { Admin } from 'kafkajs'
import { accessRules } from './topic-access.ts'

/** With min.insync.replicas=2 one broker may fail. */
const REPLICAS = 3
const RETENTION_MS = 14 * 24 * 60 * 60 * 1000
const ENDS_WITHIN_MS = 30_000
const SERVED_WITHIN_MS = 20_000
const SERVED_POLL_MS = 50

/** Creates the topics that are missing at this broker, and the rights of services to them. Errors: Unavailable. */
export const createTopics = (url: string, topics: readonly Topic[], logger: Logger): Promise<void> =>
  asAdministrator(url, logger, async (admin) => {
    const { prefix, sasl } = kafkaAddress(url)
    const names = topics.map((topic) => prefix + topic)
    await createMissing(admin, names)
    await untilServed(admin, names)
    if (!sasl) return
    await warnOfFewReplicas(admin, names, logger)
    await grantAccess(admin, prefix, logger)
  })

/** How many messages these topics hold, handled or not; 0 of a topic that does not exist. Errors: Unavailable. */
export const countMessages = (url: string, topics: readonly Topic[], logger: Logger): Promise<number> =>
  asAdministrator(url, logger, async (admin) => {
    const names = topics.map((topic) => kafkaAddress(url).prefix + topic)
    const there = await admin.listTopics()
    const ends = await Promise.all(
      names.filter((name) => there.includes(name)).map((name) => admin.fetchTopicOffsets(name)),
    )
    return ends.flat().reduce((sum, { high, low }) => sum + Number(high) - Number(low), 0)
  })

async function asAdministrator<T>(
  url: string,
  logger: Logger,
  work: (admin: Admin) => Promise<T>,
): Promise<T> {
  const admin = kafkaClient(kafkaAddress(url), logger).admin()
  try {
    return await within(
      ENDS_WITHIN_MS,
      admin.connect().then(() => work(admin)),
    )
  } catch (error) {
    throw new Unavailable('Kafka', error)
  } finally {
    void admin.disconnect().catch(() => {})
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
