import { randomUUID } from 'node:crypto'
import { openBus } from '@prelude/platform'
import type { BusUnderTest } from '@prelude/platform/conformance'
import { testDatabase, testIdentity, testLogger } from '@prelude/platform/testing'

import { createTopics } from '../../prepare/topics.ts'

/** So that a rebalance soon goes on without a member that was killed. */
export const SHORT_SESSIONS = '&rebalanceTimeoutMs=4000&sessionTimeoutMs=6000'

/** Opens the bus with topics and groups of its own on the Kafka at this URL; `options` are added to its URL. */
export async function ownTopics(url: string, options = ''): Promise<BusUnderTest> {
  const { adminUrl, [Symbol.asyncDispose]: drop } = await testDatabase()
  const busUrl = `${url}?prefix=${randomUUID()}.${options}`
  await createTopics(busUrl, ['prelude.songs', 'prelude.gateway', 'prelude.credits'], testLogger())
  const bus = openBus(busUrl, testLogger(), { identity: testIdentity('songs') })
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
