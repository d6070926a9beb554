import { brokerConformance, busConformance, eventsConformance } from '@prelude/platform/conformance'
import { withServer } from '../support/with-server.ts'
import { ownTopics } from './kafka-topics.ts'

await withServer('Kafka', (server) => {
  const opened = () => ownTopics(server().url)
  busConformance('Kafka', opened)
  eventsConformance('Kafka', opened)
  brokerConformance('Kafka', opened)
})
