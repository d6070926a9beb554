/** Events: a service's log, the buses that deliver it, and the consumers. */
export { serviceDatabase } from './append.ts'
export { createConsumer } from './consumer.ts'
export {
  countParked,
  discardDeadLetter,
  listDeadLetters,
  requestReplay,
  requestReplayOfAll,
} from './dead-letters.ts'
export { type BatchHandler, type Handler, on, onMany, type Subscriber } from './handler.ts'
export { kafkaAddress, kafkaClient, kafkajs } from './kafka/kafka-client.ts'
export { kafkaBus, PARTITIONS } from './kafka/kafka-bus.ts'
export { partitionOf } from './kafka/kafka-producer.ts'
export { LOG_READER_SCHEMA, logBus } from './log-bus.ts'
export { backlogMeasures, consumerMeasures, eventMeasures, parkedMeasures } from './measures.ts'
export * from './port.ts'
export { replayJob } from './replay.ts'
export { markUnsubscribed } from './unsubscribed.ts'
export { LONG_STATEMENT_TIMEOUT_MS } from './retry.ts'
export { eventSchemaOf, removeOldEvents, schemaOf, type ServiceSchema } from './schema.ts'
