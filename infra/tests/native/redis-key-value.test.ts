import { eventually } from '@prelude/platform/eventually'
import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { withServer } from '../support/with-server.ts'
import { twoConnections } from './redis-databases.ts'
import { keyValueConformance } from '@prelude/gateway/conformance'

await withServer('Redis', (server) => {
  keyValueConformance('redis key-value', async () => twoConnections(server().url))

  // the port's rules move a clock, which Redis does not look at
  test('redis key-value: an expired key is gone', async () => {
    await using opened = twoConnections(server().url)
    const { one, two } = opened
    for (const key of ['get', 'take']) await one.set(key, 'v', 50)
    await eventually(async () => expect(await two.get('get')).toBeNull())
    await eventually(async () => expect(await two.get('take')).toBeNull())
    expect(await two.getAndDelete('take')).toBeNull()
    await one.setIfAbsent('set', 'v', 50)
    await eventually(async () => expect(await two.get('set')).toBeNull())
    expect(await two.setIfAbsent('set', 'again', 60_000)).toBe(true)
    await one.increment('n', 50)
    await eventually(async () => expect(await two.get('n')).toBeNull())
    expect(await two.increment('n', 60_000)).toBe(1)
    expect(await two.increment('n', 3_600_000)).toBe(2)
    const lease = [{ key: 'lease', most: 1 }]
    expect(await one.lease(lease, 'first', 50)).toBe(true)
    await eventually(async () => expect(await two.lease(lease, 'second', 60_000)).toBe(true))
    expect(await one.lease(lease, 'first', 60_000)).toBe(false)
    const redis = new Redis(opened.url)
    expect(await redis.pttl('n')).toBeLessThanOrEqual(60_000) // the window starts with the first count
    await redis.quit()
  })
})
