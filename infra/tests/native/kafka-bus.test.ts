import { open } from '@prelude/platform'
import {
  brokerConformance,
  busConformance,
  chaosConformance,
  eventsConformance,
} from '@prelude/platform/conformance'
import { testDatabase, testIdentity, testLogger } from '@prelude/platform/testing'
import { randomUUID } from 'node:crypto'
import { withServer } from '../support/with-server.ts'
import { deletedTopic } from './deleted-topic.ts'

await withServer('Kafka', (server) => {
  const opened = async () => {
    const { adminUrl, [Symbol.asyncDispose]: drop } = await testDatabase()
    // its own topics and groups; short timeouts, so that a rebalance soon goes on without a killed or slow member
    const busUrl = `${server().url}?prefix=${randomUUID()}.&rebalanceTimeoutMs=4000&sessionTimeoutMs=6000`
    const bus = open.bus(busUrl, testLogger(), testIdentity('songs'))
    return {
      bus,
      busUrl,
      adminUrl,
      [Symbol.asyncDispose]: async () => {
        await bus.close()
        await drop()
      },
    }
  }
  busConformance('Kafka', opened)
  eventsConformance('Kafka', opened)
  chaosConformance('Kafka', opened, {
    seconds: 12,
    crash: async () => {
      await server().kill()
      await server().start()
    },
  })
  brokerConformance('Kafka', async () => ({
    ...(await opened()),
    kill: () => server().kill(),
    start: () => server().start(),
    freeze: () => server().freeze(),
    thaw: () => server().thaw(),
  }))
  deletedTopic(server)
})
