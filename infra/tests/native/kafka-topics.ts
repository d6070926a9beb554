import { randomUUID } from 'node:crypto'
import { open } from '@prelude/platform'
import type { BusUnderTest } from '@prelude/platform/conformance'
import { testDatabase, testIdentity, testLogger } from '@prelude/platform/testing'

/** Opens the bus with topics and groups of its own on the Kafka at this URL. */
export async function ownTopics(url: string): Promise<BusUnderTest> {
  const { adminUrl, [Symbol.asyncDispose]: drop } = await testDatabase()
  // short timeouts, so that a rebalance soon goes on without a killed or slow member
  const busUrl = `${url}?prefix=${randomUUID()}.&rebalanceTimeoutMs=4000&sessionTimeoutMs=6000`
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
