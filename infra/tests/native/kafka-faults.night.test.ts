import { brokerOutages, chaosConformance } from '@prelude/platform/conformance'
import { withServer } from '../support/with-server.ts'
import { deletedTopic } from './deleted-topic.ts'
import { ownTopics, SHORT_SESSIONS } from './kafka-topics.ts'

await withServer('Kafka', (server) => {
  brokerOutages('Kafka', async () => ({ ...server(), ...(await ownTopics(server().url, SHORT_SESSIONS)) }))
  chaosConformance('Kafka', () => ownTopics(server().url, SHORT_SESSIONS), {
    seconds: 12,
    crash: async () => {
      await server().kill()
      await server().start()
    },
  })
  deletedTopic(server)
})
