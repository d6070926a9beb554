import { createServer } from 'node:net'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { caller, productOfFile } from '../../support/callers.ts'

const product = productOfFile()

test('every service answers /readyz on its own port with its dependencies, the public endpoint only /healthz', async () => {
  for (const [service, base] of Object.entries(product().endpoints.health)) {
    expect(await (await fetch(`${base}/healthz`)).json()).toEqual({ status: 'ok' })
    const ready = await fetch(`${base}/readyz`)
    const { parts } = (await ready.json()) as { parts: Record<string, string> }
    expect([service, ready.status, Object.keys(parts).length > 0]).toEqual([service, 200, true])
    for (const state of Object.values(parts)) expect(['ok', 'degraded', 'down']).toContain(state)
    const metrics = await fetch(`${base}/metrics`)
    expect(metrics.headers.get('content-type')).toMatch(/^text\/plain/)
    expect(await metrics.text()).toMatch(/^# (HELP|TYPE) /m)
    expect((await fetch(`${base}/anything`)).status).not.toBe(200)
  }
  const visitor = caller(product())
  expect((await visitor('GET', '/healthz')).status).toBe(200)
  for (const path of ['/readyz', '/metrics', '/api/healthz'])
    expect((await visitor('GET', path)).status).toBe(404)
})

test('internal operations of services refuse calls without the internal signature', async () => {
  const { songs, credits, gateway } = product().endpoints.health
  for (const url of [`${songs}/songs`, `${credits}/accounts/x`, `${gateway}/people/x`]) {
    for (const headers of [{}, { 'x-internal-token': 'x' }, { authorization: 'Bearer x' }] as Record<
      string,
      string
    >[]) {
      const { status } = await fetch(url, { headers })
      expect([url, status >= 401 && status < 500]).toEqual([url, true])
    }
  }
})

test('all ports listen on loopback only while a stand-in is in use', async () => {
  const { web, health, mailbox, identity, checkout } = product().endpoints
  for (const address of [web, mailbox, identity, checkout, ...Object.values(health)]) {
    const { hostname, port } = new URL(address ?? '')
    expect(['localhost', '127.0.0.1']).toContain(hostname)
    // another loopback address is free unless the server listens on all addresses
    const probe = createServer()
    probe.listen(Number(port), '127.0.0.2')
    await once(probe, 'listening')
    probe.close()
  }
})
