import type { EventEnvelope, Topic } from '@prelude/contracts'
import type { Producer } from 'kafkajs'
import { crc32 } from 'node:zlib'
import { Unavailable } from '../../errors.ts'
import type { Logger } from '../../observability/index.ts'
import type { Identity } from '../../identity.ts'
import { SIGNATURE_HEADER, signMessage } from './signature.ts'
import { type KafkaAddress, kafkaClient, replaceable, RETRY } from './kafka-client.ts'

/** A forwarder that stops waits for its send; a service must be able to stop within 20 s. */
const SEND_WITHIN_MS = 10_000
const BROKER_WITHIN_MS = 6_000
/** A broker accepts record batches of 1 MiB: a send stays below. RECORD_BYTES: a record's overhead beside key and value, with its signature. */
const SEND_BYTES = 900_000
const RECORD_BYTES = 200

interface Message {
  readonly key: string
  readonly value: string
  readonly headers: { readonly [SIGNATURE_HEADER]: Buffer }
}

interface Sender {
  readonly producer: Producer
  /** Partitions that the current send has messages for. */
  readonly partitions: Set<number>
}

/** By CRC-32 of the key, as librdkafka does: SQL can compute it too, so that invariants can compute an event's partition. */
export const partitionOf = (key: string, partitions: number): number => crc32(key) % partitions

/**
 * Awaited sends, one at a time for each topic by its forwarder. After an error the producer is given up: kafkajs would
 * number the next messages as those that failed, and a broker that did store these would drop the next ones as duplicates.
 */
export function kafkaProducer(address: KafkaAddress, identity: Identity, logger: Logger) {
  const sender = replaceable((onConnect) => connectable(address, logger, onConnect))
  let last: Promise<unknown> = Promise.resolve()

  const sendAll = async (topic: Topic, messages: readonly Message[]): Promise<void> => {
    for (const some of chunksOf(messages))
      await sender
        .use(SEND_WITHIN_MS, (client) => sendChecked(client, address.prefix + topic, some))
        .catch((error: unknown) => {
          throw new Unavailable('Kafka', error)
        })
  }

  return {
    /** Resolves when all of them are stored on the in-sync replicas, in this order. Errors: Unavailable. */
    send: async (topic: Topic, events: readonly EventEnvelope[]): Promise<void> => {
      const messages = await Promise.all(events.map((event) => messageOf(identity, topic, event)))
      const sent = last.then(() => sendAll(topic, messages))
      last = sent.catch(() => {})
      await sent
    },
    close: async () => {
      await last
      await sender.close()
    },
  }
}

async function messageOf(identity: Identity, topic: Topic, event: EventEnvelope): Promise<Message> {
  const { key } = event
  const value = JSON.stringify(event)
  return { key, value, headers: { [SIGNATURE_HEADER]: await signMessage(identity, topic, key, value) } }
}

function connectable(address: KafkaAddress, logger: Logger, onConnect: () => void) {
  const partitions = new Set<number>()
  const producer = kafkaClient(address, logger, onConnect).producer({
    idempotent: true,
    maxInFlightRequests: 1,
    allowAutoTopicCreation: false,
    retry: RETRY,
    createPartitioner:
      () =>
      ({ message, partitionMetadata }) => {
        const partition = partitionOf(String(message.key), partitionMetadata.length)
        partitions.add(partition)
        return partition
      },
  })
  return { producer, partitions, connect: producer.connect, disconnect: producer.disconnect }
}

/** When a partition moves to another broker between two tries, kafkajs may leave its messages out without an error. */
async function sendChecked(
  { producer, partitions }: Sender,
  topic: string,
  messages: readonly Message[],
): Promise<void> {
  partitions.clear()
  const stored = await producer.send({
    topic,
    acks: -1,
    timeout: BROKER_WITHIN_MS,
    messages: [...messages],
  })
  for (const { partition } of stored) partitions.delete(partition)
  if (partitions.size > 0) throw new Error(`no answer for partitions ${[...partitions].join(', ')}`)
}

function chunksOf(messages: readonly Message[]): Message[][] {
  const chunks: Message[][] = []
  let bytes = 0
  for (const message of messages) {
    const more = Buffer.byteLength(message.key) + Buffer.byteLength(message.value) + RECORD_BYTES
    const current = chunks.at(-1)
    if (current && bytes + more <= SEND_BYTES) {
      current.push(message)
      bytes += more
    } else {
      chunks.push([message])
      bytes = more
    }
  }
  return chunks
}
