import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { obtainHaproxy, startHaproxy } from '../haproxy.ts'
import { whyMissing } from './with-server.ts'

const missing = await whyMissing('HAProxy', obtainHaproxy)

/** The load balancer in front of a server that answers with the headers it got. */
async function balanced(env: Record<string, string>) {
  const server = createServer((request, response) => response.end(JSON.stringify(request.headers)))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const dir = await mkdtemp(join(tmpdir(), 'prelude-haproxy-'))
  const haproxy = await startHaproxy({ dir, gateways: [{ publicPort: port, internalPort: port }], env })
  return {
    headers: async (sent: Record<string, string>) =>
      (await (await fetch(haproxy.url, { headers: sent })).json()) as Record<string, string>,
    [Symbol.asyncDispose]: async () => {
      await haproxy.stop()
      server.close()
      server.closeAllConnections()
      await rm(dir, { recursive: true })
    },
  }
}

describe.skipIf(missing !== null)('a real HAProxy with the settings of the containers', () => {
  test('takes the country only from a proxy in front of it, never from the client', async () => {
    const env = { TRUSTED_COUNTRY_HEADER: 'cf-ipcountry' }
    const sent = { 'CF-IPCountry': 'NG', 'x-other': 'stays' }
    await using alone = await balanced(env)
    expect(await alone.headers(sent)).toMatchObject({ 'x-other': 'stays' })
    expect(await alone.headers(sent)).not.toHaveProperty('cf-ipcountry')
    await using behind = await balanced({ ...env, TRUSTED_PROXY_HOPS: '1' })
    expect(await behind.headers({ ...sent, 'x-forwarded-for': '203.0.113.7' })).toMatchObject({
      'cf-ipcountry': 'NG',
    })
  })
})
