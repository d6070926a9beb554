import { open } from '@prelude/platform'
import { busConformance, busOutages } from '@prelude/platform/conformance'
import { testLogger } from '@prelude/platform/testing'
import { randomUUID } from 'node:crypto'
import { obtainKafka, startKafka } from '../kafka.ts'
import { withServer } from './with-server.ts'

await withServer('Kafka', obtainKafka, startKafka, (server) => {
  const opened = async () => {
    // topics and groups of its own; a member that another one waits for is given up soon
    const url = `${server().url}?prefix=${randomUUID()}.&rebalanceTimeoutMs=4000`
    const bus = open.bus(url, testLogger())
    return { bus, [Symbol.asyncDispose]: () => bus.close() }
  }
  busConformance('kafka bus', opened)
  busOutages('kafka bus', async () => ({
    ...(await opened()),
    kill: () => server().kill(),
    start: () => server.restart(),
    freeze: () => server().freeze(),
    thaw: () => server().thaw(),
  }))
})
