import { expect, test } from 'vitest'
import { logBus } from '../src/events/log-bus.ts'
import { eventually } from '../src/testing/eventually.ts'
import { testLogger, testPorts } from '../src/testing/index.ts'
import { busConformance } from './conformance/bus.ts'
import { collect, numbers, openSource } from './conformance/source.ts'

busConformance('event log', () => testPorts())

test('an event of another process is received when it is announced, not at the next poll', async () => {
  await using source = await openSource(() => testPorts())
  const never = logBus({ url: source.busUrl, logger: testLogger(), pollMs: 24 * 60 * 60_000 })
  const { seen, subscription } = await collect(never)
  for (const n of [0, 1]) {
    await source.emit('a', n)
    await eventually(() => expect(numbers(seen, 'a')).toContain(n))
  }
  await subscription.stop()
  await never.close()
})
