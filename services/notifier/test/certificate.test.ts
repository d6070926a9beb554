import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { createServer } from 'node:tls'
import { eventually } from '@prelude/platform/eventually'
import { certificate, testClock } from '@prelude/platform/testing'
import { expect, test } from 'vitest'
import { certificateOf } from '../src/certificate.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

test('the end of a certificate is read, also of one that nobody trusts', async () => {
  const { cert, key } = await certificate()
  const server = createServer({ cert, key }, (socket) => socket.on('error', () => undefined))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const clock = testClock()
  const expiresAt = certificateOf(`https://localhost:${(server.address() as AddressInfo).port}`, clock)
  const madeBefore = clock.now()
  try {
    await eventually(() => {
      clock.pass(MINUTE_MS) // a read that failed is made again
      expect(expiresAt()).toBeGreaterThan(madeBefore + DAY_MS)
    })
  } finally {
    server.close()
  }
})

test('nothing is known of http, and of an address that does not answer', async () => {
  expect(certificateOf('http://localhost:1', testClock())()).toBeNull()
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  const expiresAt = certificateOf(`https://127.0.0.1:${port}`, testClock())
  expect(expiresAt()).toBeNull()
  await new Promise((resolve) => setImmediate(resolve))
  expect(expiresAt()).toBeNull()
})
