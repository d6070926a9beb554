import { setTimeout as delay } from 'node:timers/promises'
import type { Consumer, EachBatchPayload, KafkaMessage } from 'kafkajs'
import type { EventEnvelope, Topic } from '@prelude/contracts'
import type { Logger } from '../../observability/index.ts'
import type { Identity } from '../../identity.ts'
import { readEnvelope } from '../envelope.ts'
import type { Batch, Subscribe, Unreadable } from '../port.ts'
import { signal } from '../../wait.ts'
import { partitionOf } from './kafka-producer.ts'
import { isSigned, SIGNATURE_HEADER } from './signature.ts'
import { crashLimit, type Fault, faultOf } from './crashes.ts'
import { kafkaClient, type KafkaAddress, RETRY } from './kafka-client.ts'

const HEARTBEAT_MS = 3_000
/** How often kafkajs is called to send a heartbeat if one is due. */
const HEARTBEAT_CHECK_MS = 1_000
const MAX_WAIT_MS = 500
const MIB = 1024 * 1024
/** Partitions that are handled at once. */
const CONCURRENCY = 3
const RETRY_MIN_MS = 200
const RETRY_MAX_MS = 5_000
const RESTART_DELAY_MS = 1_000
const JOIN_WITHIN_MS = 5_000

export interface ConsumerOptions {
  readonly address: KafkaAddress
  readonly identity: Identity
  readonly group: string
  readonly topic: Topic
  readonly receive: Subscribe['receive']
  readonly logger: Logger
  /** Whether the cluster answers. */
  readonly ping: () => Promise<void>
  /** How many partitions the topic has. Errors: Unavailable. */
  readonly partitions: () => Promise<number>
  /** The consumer cannot recover: only a new process is sure to. */
  readonly onFatal: (error: Error) => void
}

interface State {
  stopping: boolean
  /** Of `performance.now()`. */
  attemptedAt: number
  /** Ends pauses when the consumer stops. */
  readonly pause: ReturnType<typeof signal>
}

/** One group for each topic: topics have no order between them, and one that is held up must not hold up the others. */
export const groupOf = (address: KafkaAddress, group: string, topic: Topic): string =>
  `${address.prefix}${group}.${topic}`

/** Reads one topic for a group until stopped. A consumer that crashed is replaced by a new one. */
export function startConsumer(options: ConsumerOptions) {
  const { logger, group, topic } = options
  const state: State = { stopping: false, attemptedAt: performance.now(), pause: signal() }
  const tooMany = crashLimit(5, 10 * 60_000)
  let current: Member | undefined

  const running = (async () => {
    while (!state.stopping) {
      current = startMember(options, state)
      const { error, fault } = await current.ended
      if (state.stopping) return
      logger.warn({ group, topic, err: error.message }, 'consumer interrupted, trying again')
      if (await isFatal(fault, options.ping, tooMany)) {
        logger.fatal({ group, topic, err: error }, 'consumer crashed for good')
        options.onFatal(error)
        return
      }
      await state.pause.for(RESTART_DELAY_MS)
    }
  })()

  return {
    sinceAttemptMs: (): number => performance.now() - state.attemptedAt,
    stop: async (): Promise<void> => {
      state.stopping = true
      state.pause.wake()
      await current?.stop()
      await running
    },
  }
}

/** An outage of the cluster is waited for, however long. A crash while the cluster answers is a fault of this process. */
async function isFatal(
  fault: Fault,
  ping: () => Promise<void>,
  tooMany: (now: number) => boolean,
): Promise<boolean> {
  if (fault === 'cluster') return false
  const answers = await ping().then(
    () => true,
    () => false,
  )
  return answers && (fault === 'lasting' || tooMany(performance.now()))
}

interface Ended {
  readonly error: Error
  readonly fault: Fault
}

interface Member {
  readonly ended: Promise<Ended>
  stop(): Promise<void>
}

/** One member of the group, from joining to its end. */
function startMember(options: ConsumerOptions, state: State): Member {
  const { address, group, topic } = options
  const ended = Promise.withResolvers<Ended>()
  let givenUp = false
  const attempted = (): void => {
    state.attemptedAt = performance.now()
  }
  const consumer = kafkaClient(address, options.logger, () => {
    if (givenUp) throw new Error('this consumer was given up')
    attempted()
  }).consumer({
    groupId: groupOf(address, group, topic),
    sessionTimeout: address.sessionTimeoutMs,
    heartbeatInterval: HEARTBEAT_MS,
    rebalanceTimeout: address.rebalanceTimeoutMs,
    maxBytes: MIB,
    maxBytesPerPartition: MIB,
    maxWaitTimeInMs: MAX_WAIT_MS,
    allowAutoTopicCreation: false,
    // a crash ends it: the next one is a new consumer, since that of kafkajs keeps old metadata and counters
    retry: { ...RETRY, restartOnFailure: async () => false },
  })
  consumer.on(consumer.events.FETCH_START, attempted)
  consumer.on(consumer.events.CRASH, ({ payload: { error } }) =>
    ended.resolve({ error, fault: faultOf(error) }),
  )
  const joined = join(consumer, address.prefix + topic, batchHandler(options, state, attempted))
  joined.catch((error: Error) => ended.resolve({ error, fault: 'cluster' }))

  const leave = async (): Promise<void> => {
    // a join that is interrupted would hold up the group until its session ends
    await Promise.race([joined.catch(() => {}), ended.promise, delay(JOIN_WITHIN_MS)])
    givenUp = true
    await consumer.disconnect().catch(() => {})
  }
  return {
    ended: ended.promise.then(async (how) => {
      await leave()
      return how
    }),
    stop: async () => {
      await leave() // waits for the current batch
      ended.resolve({ error: new Error('stopped'), fault: 'cluster' })
    },
  }
}

async function join(
  consumer: Consumer,
  topic: string,
  eachBatch: (payload: EachBatchPayload) => Promise<void>,
): Promise<void> {
  await consumer.connect()
  // also where the group's offset is no longer kept: without it the consumer would silently skip to the end
  await consumer.subscribe({ topics: [topic], fromBeginning: true })
  await consumer.run({
    eachBatchAutoResolve: false,
    partitionsConsumedConcurrently: CONCURRENCY,
    eachBatch,
  })
}

/**
 * Handles a batch until it is done. No error of a handler ever reaches kafkajs, where it could end the consumer; only
 * its own error does: that partitions are being reassigned. Then the batch comes again, here or at another member.
 */
function batchHandler(
  { identity, receive, partitions: countPartitions, logger, group, topic }: ConsumerOptions,
  state: State,
  attempted: () => void,
) {
  return async ({ batch, heartbeat, resolveOffset, isRunning }: EachBatchPayload): Promise<void> => {
    let messages: (EventEnvelope | Unreadable)[] | undefined
    let lost: unknown
    const beating = setInterval(() => {
      heartbeat().then(
        () => (lost = undefined),
        (error: unknown) => (lost = error),
      )
    }, HEARTBEAT_CHECK_MS)
    try {
      for (let pauseMs = RETRY_MIN_MS; !state.stopping && isRunning();) {
        attempted()
        try {
          const partitions = await countPartitions()
          const at = { topic, partition: batch.partition, partitions }
          messages ??= await Promise.all(batch.messages.map((one) => readMessage(identity, at, one)))
          await receive({ ...at, messages, resumesAtCursor: false }, attempted)
          return resolveOffset(batch.lastOffset())
        } catch (error) {
          logger.warn(
            { group, topic, partition: batch.partition, err: (error as Error).message },
            'batch not handled, trying again',
          )
        }
        if (lost) throw lost as Error
        await state.pause.for(pauseMs)
        pauseMs = Math.min(pauseMs * 2, RETRY_MAX_MS)
      }
    } finally {
      clearInterval(beating)
    }
  }
}

/** A signed message outside of its key's partition is a copy by somebody else: handling it would move that partition's cursor. */
export async function readMessage(
  identity: Identity,
  { topic, partition, partitions }: Omit<Batch, 'messages' | 'resumesAtCursor'>,
  message: KafkaMessage,
): Promise<EventEnvelope | Unreadable> {
  const [key, value] = [message.key?.toString() ?? '', message.value?.toString() ?? '']
  const header = message.headers?.[SIGNATURE_HEADER]
  const isOurs =
    Buffer.isBuffer(header) &&
    partitionOf(key, partitions) === partition &&
    (await isSigned(identity, topic, { key, value, signature: header }))
  if (isOurs) return readEnvelope(topic, key, value)
  return {
    key: storable(key),
    value: storable(value),
    problem: 'not signed by the service that owns the topic',
  }
}

/** PostgreSQL stores no NUL, and a dead letter that cannot be stored would hold up its partition for ever. */
const storable = (text: string): string => text.replaceAll('\0', '\uFFFD')
