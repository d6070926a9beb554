import { listen } from '@prelude/platform'
import { testDatabase, testLogger } from '@prelude/platform/testing'
import { expect, test, vi } from 'vitest'
import { eventually } from '@prelude/platform/eventually'
import { startLink } from '../servers/link.ts'

test('a listener notices that its network drops packets, and listens again once it does not', async () => {
  await using database = await testDatabase()
  const url = new URL(database.adminUrl)
  const link = await startLink([Number(url.port)])
  url.port = String(link.port)
  const onMessage = vi.fn<(message: string) => void>()
  const options = { url: url.href, schema: 'public', channel: 'test', logger: testLogger(), onMessage }
  const listener = listen(options)
  try {
    await listener.ready
    expect(listener.connected()).toBe(true)
    link.swallow()
    await eventually(() => expect(listener.connected()).toBe(false))
    link.heal()
    await eventually(() => expect(listener.connected()).toBe(true))
  } finally {
    await listener.stop()
    await link.close()
  }
})
