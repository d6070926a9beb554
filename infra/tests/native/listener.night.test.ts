import { listen } from '@prelude/platform'
import { testDatabase, testLogger } from '@prelude/platform/testing'
import { expect, test, vi } from 'vitest'
import { startLink } from '../../stack/link.ts'

/** Probes are 15 s apart, and one without an answer is given up after 5 s. */
const NOTICED = { timeout: 25_000, interval: 100 }

test('a listener notices that its network drops packets, and listens again once it does not', async () => {
  await using database = await testDatabase()
  const url = new URL(database.adminUrl)
  const link = await startLink([{ port: Number(url.port) }])
  url.port = String(link.port)
  const onMessage = vi.fn<(message: string) => void>()
  const options = { url: url.href, schema: 'public', channel: 'test', logger: testLogger(), onMessage }
  const listener = listen(options)
  try {
    await listener.ready
    expect(listener.connected()).toBe(true)
    link.swallow()
    await vi.waitFor(() => expect(listener.connected()).toBe(false), NOTICED)
    await link.heal()
    await vi.waitFor(() => expect(listener.connected()).toBe(true), NOTICED)
  } finally {
    await listener.stop()
    await link.close()
  }
}, 60_000)
