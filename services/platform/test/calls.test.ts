import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { httpCalls } from '../src/calls/http-calls.ts'
import { injectCalls } from '../src/calls/inject-calls.ts'
import { internalApp } from '../src/http/internal-app.ts'
import { testLogger } from '../src/testing/index.ts'
import { answer, callsConformance } from './conformance/calls.ts'

const SECRET = 'a-secret-of-this-test'

async function answering() {
  const app = internalApp({ part: 'songs', logger: testLogger(), internalSecret: SECRET })
  answer(app)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const close = async (): Promise<void> => {
    app.server.closeAllConnections()
    await app.close()
  }
  return { app, url: `http://127.0.0.1:${port}`, close }
}

callsConformance('calls in the process', async () => {
  const { app, close } = await answering()
  return { calls: injectCalls(new Map([['songs', app]]), SECRET), [Symbol.asyncDispose]: close }
})

callsConformance('calls over HTTP', async () => {
  const { url, close } = await answering()
  // nothing listens on port 9 of this machine
  const calls = httpCalls({ songs: url, credits: 'http://127.0.0.1:9' }, SECRET)
  return { calls, [Symbol.asyncDispose]: close }
})

test('a call without a proof of origin, or with another secret, finds nothing', async () => {
  const { url, close } = await answering()
  expect((await fetch(`${url}/ids`)).status).toBe(404)
  const stranger = httpCalls({ songs: url }, 'another-secret')
  expect((await stranger.call('songs', { method: 'GET', path: '/ids' })).status).toBe(404)
  await close()
})
