import { Partitioners, type Producer } from 'kafkajs'
import type { Topic } from '@prelude/contracts'
import { Unavailable } from '../../errors.ts'
import type { Logger } from '../../observability/logger.ts'
import type { EventBus } from '../port.ts'
import { kafkaClient, type KafkaPlace, replaceable, RETRY } from './kafka-client.ts'
import { refuseOversized } from '../message-refused.ts'

/** A relay that stops waits for what it sends; a service must be able to stop within 20 s. */
const SEND_WITHIN_MS = 10_000
const BROKER_WITHIN_MS = 6_000
/** A broker takes 1 MiB in one record batch: a send stays below, with what each record needs besides its text. */
const SEND_BYTES = 900_000
const RECORD_BYTES = 100

type Message = Parameters<EventBus['publish']>[1][number]

interface Sender {
  readonly producer: Producer
  /** Partitions that the send in hand has messages for. */
  readonly partitions: Set<number>
}

export interface KafkaProducer {
  publish: EventBus['publish']
  close(): Promise<void>
}

/**
 * One send at a time, each awaited. After an error the producer is given up: kafkajs would number the next messages as
 * those that failed, and a broker that did store these would take the next ones for doubles and drop them.
 */
export function kafkaProducer(place: KafkaPlace, logger: Logger): KafkaProducer {
  const sender = replaceable((onConnect) => connectable(place, logger, onConnect))
  let last: Promise<unknown> = Promise.resolve()

  const send = async (topic: Topic, messages: readonly Message[]): Promise<void> => {
    for (const some of chunksOf(messages))
      await sender
        .use(SEND_WITHIN_MS, (client) => sendChecked(client, place.prefix + topic, some))
        .catch((error: unknown) => {
          throw new Unavailable('Kafka', error)
        })
  }

  return {
    publish: async (topic, messages) => {
      refuseOversized(messages)
      const sent = last.then(() => send(topic, messages))
      last = sent.catch(() => {})
      await sent
    },
    close: async () => {
      await last
      await sender.close()
    },
  }
}

function connectable(place: KafkaPlace, logger: Logger, onConnect: () => void) {
  const partitions = new Set<number>()
  const producer = kafkaClient(place, logger, onConnect).producer({
    idempotent: true,
    maxInFlightRequests: 1,
    allowAutoTopicCreation: false,
    retry: RETRY,
    createPartitioner: () => {
      const choose = Partitioners.DefaultPartitioner()
      return (args) => {
        const partition = choose(args)
        partitions.add(partition)
        return partition
      }
    },
  })
  return { producer, partitions, connect: producer.connect, disconnect: producer.disconnect }
}

/** When a partition moves to another broker between two tries, kafkajs may leave its messages out and say nothing. */
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
    messages: messages.map(({ key, value }) => ({ key, value })),
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
