import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { connect } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { eventually } from '@prelude/platform/eventually'
import { freePort } from '../../native/server-process.ts'
import { type Link, startLink } from '../../stack/link.ts'

/** The load balancer of the native stack, which is also the network that fails in drills. */

const closing: (() => unknown)[] = []

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

/** A server that answers with its name, and on /health by `health`. */
async function answering(name: string, health = { ok: true }): Promise<{ port: number; server: Server }> {
  const server = createServer((request, response) => {
    if (request.url === '/health') response.statusCode = health.ok ? 200 : 503
    response.end(name)
  })
  const port = await freePort()
  await once(server.listen(port, '127.0.0.1'), 'listening')
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return { port, server }
}

async function linkTo(...targets: Parameters<typeof startLink>[0]): Promise<Link> {
  const link = await startLink(targets)
  closing.push(() => link.close())
  return link
}

/** One request over a new connection. */
async function ask({ port }: Link, withinMs = 5_000): Promise<string> {
  const headers = { connection: 'close' }
  const answer = await fetch(`http://127.0.0.1:${port}/`, { headers, signal: AbortSignal.timeout(withinMs) })
  return answer.text()
}

test('connections are balanced round robin, and a target that refuses is left out', async () => {
  const [a, b] = [await answering('a'), await answering('b')]
  const link = await linkTo(a, b)
  expect([await ask(link), await ask(link), await ask(link)]).toEqual(['a', 'b', 'a'])
  b.server.closeAllConnections()
  b.server.close()
  expect([await ask(link), await ask(link)]).toEqual(['a', 'a'])
})

test('where all targets refuse they are tried again for a while, then the connection is closed', async () => {
  const a = await answering('a')
  a.server.closeAllConnections()
  a.server.close()
  const link = await startLink([a], 0, 2_000)
  closing.push(() => link.close())
  const asked = ask(link)
  await once(a.server.listen(a.port, '127.0.0.1'), 'listening')
  expect(await asked).toBe('a')
  a.server.closeAllConnections()
  a.server.close()
  await expect(ask(link)).rejects.toThrow('fetch failed')
})

test('an unhealthy target gets no connection until it is healthy', async () => {
  const health = { ok: false }
  const [a, b] = [await answering('a'), await answering('b', health)]
  const link = await linkTo(
    { port: a.port, health: `http://127.0.0.1:${a.port}/health` },
    { port: b.port, health: `http://127.0.0.1:${b.port}/health` },
  )
  await eventually(async () => expect([await ask(link), await ask(link)]).toEqual(['a', 'a']))
  health.ok = true
  await eventually(async () => expect(new Set([await ask(link), await ask(link)]).size).toBe(2))
})

test('a cut link resets open connections and refuses new ones; healed, it forwards as before', async () => {
  const link = await linkTo(await answering('a'))
  const open = connect(link.port, '127.0.0.1')
  await once(open, 'connect')
  const gone = once(open, 'error')
  await link.cut()
  expect(String((await gone)[0])).toContain('ECONNRESET')
  await expect(ask(link)).rejects.toThrow('fetch failed')
  await link.heal()
  expect(await ask(link)).toBe('a')
})

test('a link that drops packets accepts connections and answers nothing until it is healed', async () => {
  const link = await linkTo(await answering('a'))
  link.swallow()
  await expect(ask(link, 300)).rejects.toThrow('timeout')
  const late = ask(link)
  await link.heal()
  expect(await late).toBe('a')
})

test('a slow link delivers all bytes, late and in order', async () => {
  const sent = Array.from({ length: 50 }, (_, n) => `${n},`)
  const server = createServer((_request, response) => {
    for (const piece of sent) response.write(piece)
    response.end()
  })
  const port = await freePort()
  await once(server.listen(port, '127.0.0.1'), 'listening')
  closing.push(() => server.close())
  const link = await linkTo({ port })
  link.slow(50)
  const began = performance.now()
  expect(await ask(link)).toBe(sent.join(''))
  expect(performance.now() - began).toBeGreaterThan(95)
})
