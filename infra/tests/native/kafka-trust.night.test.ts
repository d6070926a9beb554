import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EventEnvelope, PaymentSucceeded, type ServiceName, SERVICE_NAMES } from '@prelude/contracts'
import { kafkaAddress, newId, openBus, partitionOf, PARTITIONS } from '@prelude/platform'
import { testDatabase, testIdentity, testLogger, trustedCertificate } from '@prelude/platform/testing'
import {
  AclOperationTypes,
  AclPermissionTypes,
  AclResourceTypes,
  Kafka,
  logLevel,
  type Message,
  type Producer,
  ResourcePatternTypes,
} from 'kafkajs'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { eventually } from '@prelude/platform/eventually'
import { prepare } from '../../prepare/prepare.ts'
import { createTopics } from '../../prepare/topics.ts'
import { type KafkaCluster, findKafka, startKafkaCluster } from '../servers/kafka.ts'
import { whyMissing } from '../support/with-server.ts'
import { roleUrl } from '@prelude/platform/migrate'
import { startCredits, startPayments } from './payments-and-credits.ts'

const TOPIC = 'prelude.payments'
const PASSWORD = 'test-role-password'
const USERS = {
  admin: 'admin-secret',
  ...Object.fromEntries(SERVICE_NAMES.map((name) => [`prelude_${name}`, `${name}-secret`])),
}
/** A group soon goes on without a member that has lost its coordinator. */
const SHORT = 'rebalanceTimeoutMs=4000&sessionTimeoutMs=6000'
const INTERRUPTED = 'forwarder interrupted, trying again'

const missing = await whyMissing('Kafka with TLS and users', findKafka)

describe.skipIf(missing !== null)('on three Kafka brokers with TLS, users and access rules', () => {
  let kafka: KafkaCluster
  let dir = ''
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'prelude-trust-'))
    kafka = await startKafkaCluster({
      dir,
      secure: { certificate: await trustedCertificate(), users: USERS },
    })
  })
  afterAll(async () => {
    await kafka?.stop()
    await rm(dir, { recursive: true, force: true })
  })

  /** Of the topics and groups of one test. */
  let prefix = ''
  beforeEach(() => void (prefix = `${newId()}.`))
  // the nodes are small: partitions of one test would slow the next one
  afterEach(async () => {
    const client = clientFor(adminUrl()).admin()
    await client.connect()
    const topics = (await client.listTopics()).filter((topic) => topic.startsWith(prefix))
    await client.deleteTopics({ topics })
    await client.disconnect()
  })

  const hosts = (): string => kafka.nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')
  const adminUrl = (): string => `kafkas://admin:${USERS.admin}@${hosts()}?prefix=${prefix}`
  const urlFor = (name: ServiceName, password = `${name}-secret`): string =>
    `kafkas://prelude_${name}:${password}@${hosts()}?${SHORT}&prefix=${prefix}`
  const clientFor = (url: string): Kafka => {
    const { brokers, sasl } = kafkaAddress(url)
    return new Kafka({
      brokers: [...brokers],
      ssl: true,
      sasl: { mechanism: 'scram-sha-512', username: sasl?.username ?? '', password: sasl?.password ?? '' },
      logLevel: logLevel.NOTHING,
      retry: { retries: 3, initialRetryTime: 100 },
    })
  }

  /** Writes messages past the product, as this user. */
  const write = async (url: string, ...messages: (Message & { key: string })[]): Promise<void> => {
    const producer: Producer = clientFor(url).producer({ allowAutoTopicCreation: false })
    await producer.connect()
    try {
      const own = messages.map((one) => ({ partition: partitionOf(one.key, PARTITIONS), ...one }))
      await producer.send({ topic: prefix + TOPIC, messages: own })
    } finally {
      await producer.disconnect()
    }
  }

  /** Payments, which can emit, and the real credits, each as its own user. */
  async function start() {
    const logger = testLogger()
    const warned = vi.spyOn(logger, 'warn')
    const { adminUrl: ownerUrl, [Symbol.asyncDispose]: drop } = await testDatabase()
    const databaseUrl = (schema: string): string => roleUrl(ownerUrl, schema, PASSWORD)
    const databaseUrls = Object.fromEntries(SERVICE_NAMES.map((name) => [name, databaseUrl(name)]))
    await prepare(
      { adminUrl: ownerUrl, busUrl: adminUrl(), kvUrl: databaseUrl('kv'), auditUrl: null, databaseUrls },
      logger,
    )
    const placeOf = (name: ServiceName) => ({ databaseUrl: databaseUrl(name), busUrl: urlFor(name), logger })
    const payments = startPayments(placeOf('payments'))
    const credits = await startCredits(placeOf('credits'))
    const admin = new pg.Pool({ connectionString: ownerUrl, max: 2 })
    admin.on('error', () => {})
    return {
      admin,
      warned,
      backlog: payments.backlog,
      pay: payments.pay,
      balances: async (): Promise<Record<string, number>> => {
        const { rows } = await admin.query<{ uid: string; n: string }>(
          'select uid, balance_cents as n from credits.account',
        )
        return Object.fromEntries(rows.map(({ uid, n }) => [uid, Number(n)]))
      },
      /** What each person was credited with, in the order of the postings. */
      postings: async (): Promise<Record<string, number[]>> => {
        const { rows } = await admin.query<{ uid: string; amounts: string[] }>(
          `select uid, array_agg(amount_cents order by entry.id) as amounts
           from credits.journal join credits.entry on journal_id = journal.id
           where account = 'person:' || uid group by uid`,
        )
        return Object.fromEntries(rows.map(({ uid, amounts }) => [uid, amounts.map(Number)]))
      },
      letters: async () =>
        (
          await admin.query<{ key: string; error: string }>(
            'select key, error from credits.dead_letter where resolved_at is null order by id',
          )
        ).rows,
      metrics: async () => (await fetch(`${credits.address}/metrics`)).text(),
      [Symbol.asyncDispose]: async () => {
        await Promise.all([payments.stop(), credits.stop()])
        await admin.end()
        await drop()
      },
    }
  }

  const forged = (uid: string): EventEnvelope => ({
    id: newId(),
    key: uid,
    type: PaymentSucceeded.type,
    version: PaymentSucceeded.version,
    topic: TOPIC,
    position: 1,
    at: Date.now(),
    correlationId: newId(),
    data: { paymentId: newId(), uid, credits: 777_700, method: 'card' },
  })

  test('topics with fewer than three replicas are named in a warning', async () => {
    const logger = testLogger()
    const warned = vi.spyOn(logger, 'warn')
    const client = clientFor(adminUrl()).admin()
    await client.connect()
    await client.createTopics({ topics: [{ topic: prefix + TOPIC, numPartitions: 1, replicationFactor: 1 }] })
    await client.disconnect()
    await createTopics(adminUrl(), [TOPIC, 'prelude.songs'], logger)
    expect(warned).toHaveBeenCalledExactlyOnceWith(
      { topics: [prefix + TOPIC] },
      'topics have fewer than 3 replicas: one broker that fails can stop or lose events',
    )
  })

  test('an event that payments did not write makes no money, though its writer may write to the topic', async () => {
    await using system = await start()
    await system.pay('ada', 2_500)
    await eventually(async () => expect(await system.balances()).toEqual({ ada: 2_500 }))

    // each of its own content: the same bytes again are known already
    const [value = '', signed = '', unsigned = '', copied = ''] = Array.from({ length: 4 }, () =>
      JSON.stringify(forged('eve')),
    )
    const bySongs = await testIdentity('songs').sign(Buffer.from(`${TOPIC}\neve\n${signed}`))
    const other = JSON.stringify(forged('bob'))
    const ofOther = await testIdentity('payments').sign(Buffer.from(`${TOPIC}\nbob\n${other}`))
    await write(
      adminUrl(),
      { key: 'eve', value },
      { key: 'eve', value: signed, headers: { signature: bySongs } },
      { key: 'eve', value: unsigned, headers: { signature: 'not one' } },
      // a right signature of another message, and a right message in another key's partition
      { key: 'eve', value: copied, headers: { signature: ofOther } },
      {
        key: 'bob',
        value: other,
        headers: { signature: ofOther },
        partition: (partitionOf('bob', PARTITIONS) + 1) % PARTITIONS,
      },
    )
    await eventually(async () => expect(await system.letters()).toHaveLength(5))
    for (const { error } of await system.letters())
      expect(error).toContain('not signed by the service that owns the topic')
    expect(await system.balances()).toEqual({ ada: 2_500 })
    expect(await system.metrics()).toMatch(
      /prelude_events_forged_total\{topic="prelude.payments",service="credits"\} 5\n/,
    )

    // neither does a replay, and a discard lets the person's real payments flow
    await system.admin.query('update credits.dead_letter set replay_requested_at = now()')
    // the first of each person's: those behind it are not tried
    await eventually(async () =>
      expect((await system.letters()).filter(({ error }) => error.includes('discard it'))).toHaveLength(2),
    )
    expect(await system.balances()).toEqual({ ada: 2_500 })
  })

  test('a service can write to its own topic alone, and only with its password', async () => {
    await using system = await start()
    const message = { key: 'eve', value: JSON.stringify(forged('eve')) }
    for (const name of ['songs', 'credits', 'gateway', 'notifier'] as const)
      await expect(write(urlFor(name), message)).rejects.toThrow(/[Nn]ot authorized/)
    await expect(write(urlFor('payments', 'guessed'), message)).rejects.toThrow(/[Aa]uthentication/)
    for (const url of [urlFor('payments', 'guessed'), `kafka://${hosts()}`]) {
      const bus = openBus(url, testLogger(), { identity: testIdentity('payments') })
      await expect(bus.ping()).rejects.toThrow('Kafka')
      await bus.close()
    }
    expect(await system.letters()).toEqual([])
  })

  test('a service that loses the right to its group waits, and goes on once it has it again', async () => {
    await using system = await start()
    await system.pay('ada', 1)
    await eventually(async () => expect(await system.balances()).toEqual({ ada: 1 }))

    const client = clientFor(adminUrl()).admin()
    await client.connect()
    const rule = {
      resourceType: AclResourceTypes.GROUP,
      resourceName: `${prefix}credits.`,
      principal: 'User:prelude_credits',
      host: '*',
      operation: AclOperationTypes.READ,
      permissionType: AclPermissionTypes.DENY,
    }
    const { PREFIXED } = ResourcePatternTypes
    system.warned.mockClear()
    await client.createAcls({ acl: [{ ...rule, resourcePatternType: PREFIXED }] })
    const refused = expect.objectContaining({
      err: expect.stringContaining('Not authorized to access group'),
    })
    await eventually(() =>
      expect(system.warned).toHaveBeenCalledWith(refused, 'consumer interrupted, trying again'),
    )
    await system.pay('ada', 2)
    await client.deleteAcls({ filters: [{ ...rule, resourcePatternType: PREFIXED }] })
    await client.disconnect()
    await eventually(async () => expect(await system.postings()).toEqual({ ada: [1, 2] }))
  })

  /** The id of the broker that leads the partition of this key. */
  const leaderOf = async (key: string): Promise<number> => {
    const client = clientFor(adminUrl()).admin()
    await client.connect()
    const { topics } = await client.fetchTopicMetadata({ topics: [prefix + TOPIC] })
    await client.disconnect()
    const own = partitionOf(key, PARTITIONS)
    return topics[0]?.partitions.find(({ partitionId }) => partitionId === own)?.leader ?? 0
  }

  test('a leader that dies under load, and two brokers of three that are down, cost no event and not their order', async () => {
    await using system = await start()
    const [uids, rounds] = [['ann', 'ben', 'cleo', 'dan'], 60]
    const payAll = async (amount: number): Promise<void> => {
      for (const uid of uids) await system.pay(uid, amount)
    }
    const paid = (amounts: number) =>
      Object.fromEntries(uids.map((uid) => [uid, Array.from({ length: amounts }, (_, n) => n + 1)]))
    /** Every payment of so many rounds is posted, in order; else the error tells what the cluster and the product say. */
    const settled = async (amounts: number): Promise<void> => {
      try {
        await expect.poll(system.postings).toEqual(paid(amounts))
      } catch (cause) {
        const leaders = await Promise.all(uids.map(leaderOf)).catch(String)
        const logs = await Promise.all(
          kafka.nodes.map(async (node) =>
            (await readFile(join(node.dir, 'kafka.log'), 'utf8')).slice(-2_000),
          ),
        )
        const warned = system.warned.mock.calls.slice(-20)
        const said = { leaders, backlog: await system.backlog(), warned, logs }
        throw new Error(JSON.stringify(said), { cause })
      }
    }
    for (let n = 1; n <= 5; n++) await payAll(n)
    await settled(5)
    const dead = await leaderOf('ann')
    const flowing = (async () => {
      for (let n = 6; n <= rounds; n++) await payAll(n)
    })()
    await kafka.nodes[dead - 1]?.kill()
    await flowing
    await settled(rounds)

    // one broker of three acknowledges nothing; what is accepted meanwhile waits in the event log
    const second = (dead % 3) + 1
    system.warned.mockClear()
    await kafka.nodes[second - 1]?.kill()
    await payAll(rounds + 1)
    await eventually(() =>
      expect(system.warned).toHaveBeenCalledWith(expect.objectContaining({ topic: TOPIC }), INTERRUPTED),
    )
    expect(await system.backlog()).toBe(uids.length)
    await Promise.all([kafka.start(dead), kafka.start(second)])
    await settled(rounds + 1)
  })
})
