import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { systemClock, Unavailable } from '@prelude/platform'
import { eventually } from '@prelude/platform/eventually'
import { certificate, testLogger, trustedCertificate } from '@prelude/platform/testing'
import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { findRedis, startRedis } from '../servers/redis.ts'
import { whyMissing, withServer } from '../support/with-server.ts'
import { twoConnections } from './redis-databases.ts'
import { type KeyValue, openKeyValue } from '@prelude/gateway'
import { keyValueOutages } from '@prelude/gateway/conformance'

await withServer('Redis', (server) => {
  keyValueOutages('redis key-value', async () => ({ ...server(), ...twoConnections(server().url) }))
})

/** As a provider runs it: TLS from a private authority, a user with a password, a limit of memory. */
const missing = await whyMissing('Redis with TLS and users', findRedis)

test.skipIf(missing !== null)(
  'a Redis with TLS and users is reached with its password alone, and answers Unavailable while its memory is full',
  async () => {
    const dir = await mkdtemp(join(tmpdir(), 'prelude-redis-'))
    const authority = await trustedCertificate()
    const own = await certificate('DNS:localhost', authority)
    const redis = await startRedis({ dir, secure: { certificate: own, user: 'prelude', password: 'secret' } })
    const names: unknown[] = []
    const elsewhere = createServer(own, (socket) => {
      names.push(socket.servername)
      socket.destroy()
    })
    await once(elsewhere.listen(0, '127.0.0.1'), 'listening')
    const { port } = elsewhere.address() as AddressInfo
    const opened: KeyValue[] = []
    const store = (url: string): KeyValue => {
      const one = openKeyValue(url, testLogger(), systemClock)
      opened.push(one)
      return one
    }
    try {
      const kv = store(redis.url)
      const received: string[] = []
      await kv.subscribe('channel', (message) => received.push(message))
      await kv.set('key', 'value', 60_000)
      await kv.publish('channel', 'message')
      await eventually(() => expect(received).toEqual(['message']))
      const refused = [
        redis.url.replace('secret', 'guessed'),
        redis.url.replace('prelude:secret', ':secret'),
        redis.url.replace('localhost', '127.0.0.1'), // a name that the certificate does not have
        redis.url.replace('rediss:', 'redis:'),
        `rediss://localhost:${port}`,
      ]
      await Promise.all(
        refused.map((url) => expect(store(url).get('key')).rejects.toBeInstanceOf(Unavailable)),
      )
      expect(names).toContain('localhost') // by which a provider finds the server

      const admin = new Redis(redis.url)
      await admin.config('SET', 'maxmemory', '1')
      const writes = [
        () => kv.set('other', 'value', 60_000),
        () => kv.setIfAbsent('other', 'value', 60_000),
        () => kv.increment('count', 60_000),
      ]
      for (const write of writes) await expect(write()).rejects.toBeInstanceOf(Unavailable)
      expect(await kv.get('key')).toBe('value') // sessions are still read
      await admin.config('SET', 'maxmemory', '0')
      for (const write of writes) await write()
      await admin.quit()
    } finally {
      for (const one of opened) await one.close()
      elsewhere.close()
      await redis.stop()
      await rm(dir, { recursive: true })
    }
  },
)
