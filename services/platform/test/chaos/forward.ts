import { systemClock } from '../../src/clock.ts'
import { serviceDatabase } from '../../src/events/append.ts'
import { startForwarder } from '../../src/events/kafka/forwarder.ts'
import { kafkaAddress } from '../../src/events/kafka/kafka-client.ts'
import { kafkaProducer } from '../../src/events/kafka/kafka-producer.ts'
import { createLogger } from '../../src/observability/logger.ts'

import { emit } from './emit.ts'
import { chaosIdentity } from './env.ts'

/** Emits events of songs, and forwards its log beside any other forwarder. */
export function forward(databaseUrl: string, busUrl: string, seed: number): void {
  const logger = createLogger({ service: 'chaos', level: 'silent', pretty: false })
  const db = serviceDatabase({ url: databaseUrl, service: 'songs', clock: systemClock, logger })
  const { send } = kafkaProducer(kafkaAddress(busUrl), chaosIdentity('songs'), logger)
  const forwarder = startForwarder({ topic: 'prelude.songs', db, databaseUrl, logger }, send, {
    exclusive: false,
    onFatal: () => process.exit(1),
  })
  db.onEmit(forwarder.wake)
  void emit(db, seed)
  setInterval(() => forwarder.wake(), 20)
}
