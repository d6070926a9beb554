import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findHaproxy, startHaproxy } from '../servers/haproxy.ts'
import type { NativeServer } from '../servers/server-process.ts'
import { whyMissing } from '../support/with-server.ts'

/** The load balancer with the settings of the containers, in front of a server that answers everything. */

const PER_ADDRESS = 100

const missing = await whyMissing('HAProxy', findHaproxy)

describe.skipIf(missing !== null)('HAProxy', () => {
  const seen: IncomingMessage[] = []
  const gateway = createServer((request, response) => {
    if (!request.url?.endsWith('z')) seen.push(request)
    // as the public endpoint refuses: at once, and the rest of the body is read and dropped
    if (request.url === '/refused') response.statusCode = 403
    response.end(request.url === '/refused' ? 'refused' : 'ok')
    request.resume()
  })
  const sockets: Socket[] = []
  let dir = ''
  let direct: NativeServer
  let behindProxy: NativeServer

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'prelude-haproxy-'))
    await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve))
    const { port } = gateway.address() as AddressInfo
    const gateways = [{ publicPort: port, internalPort: port }]
    direct = await startHaproxy({
      dir: join(dir, 'direct'),
      gateways,
      env: { TRUSTED_COUNTRY_HEADER: 'cf-ipcountry' },
    })
    behindProxy = await startHaproxy({
      dir: join(dir, 'behind'),
      gateways,
      env: { TRUSTED_PROXY_HOPS: '1', TRUSTED_COUNTRY_HEADER: 'cf-ipcountry' },
    })
  })
  afterAll(async () => {
    for (const socket of sockets) socket.destroy()
    await Promise.all([direct.stop(), behindProxy.stop()])
    gateway.close()
    await rm(dir, { recursive: true })
  })

  /** Sends the text on a connection of its own; `text` is what came back so far, `ended` whether it was closed. */
  const open = (port: number, sent: string, localAddress = '127.0.0.1') => {
    const received = { text: '', ended: false }
    const socket = connect({ port, host: '127.0.0.1', localAddress }, () => socket.write(sent))
    socket.on('data', (data) => (received.text += data.toString()))
    socket.on('error', () => {}).on('close', () => (received.ended = true))
    sockets.push(socket)
    return received
  }
  const get = (forwardedFor = ''): string =>
    `GET / HTTP/1.1\r\nhost: x\r\n${forwardedFor && `x-forwarded-for: ${forwardedFor}\r\n`}\r\n`
  /** A request whose body does not come: it stays open until its gateway or the balancer ends it. */
  const half = (path: string, forwardedFor = ''): string =>
    get(forwardedFor).replace('GET / ', `POST ${path} `).replace('\r\n\r\n', '\r\ncontent-length: 9\r\n\r\n{')

  test('an address has a hundred connections at most, and another is served all the same', async () => {
    const first = Array.from({ length: PER_ADDRESS }, () => open(direct.port, get(), '127.0.0.2'))
    await expect.poll(() => first.filter(({ text }) => text.includes(' 200 '))).toHaveLength(PER_ADDRESS)
    const late = open(direct.port, get(), '127.0.0.2')
    await expect.poll(() => late).toEqual({ text: '', ended: true })
    const other = open(direct.port, get(), '127.0.0.3')
    await expect.poll(() => other.text).toContain(' 200 ')
  })

  test('behind another proxy a client has a hundred requests at a time, counted by its own address', async () => {
    // its threads count side by side: the limit is exact to a few requests
    const [beyond, inexact] = [100, 10]
    const held = Array.from({ length: PER_ADDRESS + beyond }, () =>
      open(behindProxy.port, half('/api/webhooks/stripe', '203.0.113.5')),
    )
    const answers = () =>
      held.reduce<Record<string, number>>((counts, { text, ended }) => {
        const state = /^HTTP\/1.1 (\d+)/.exec(text)?.[1] ?? (ended ? 'closed' : 'open')
        return { ...counts, [state]: (counts[state] ?? 0) + 1 }
      }, {})
    await expect.poll(answers).toEqual({
      open: expect.toSatisfy((open: number) => open >= PER_ADDRESS && open <= PER_ADDRESS + inexact),
      429: expect.any(Number),
    })
    const other = open(behindProxy.port, get('203.0.113.6'))
    await expect.poll(() => other.text).toContain(' 200 ')
  })

  test('half a webhook does not reach a gateway and ends after 15 s', async () => {
    seen.length = 0
    const slow = open(direct.port, half('/api/webhooks/stripe'))
    await expect.poll(() => slow).toMatchObject({ ended: true })
    expect(slow.text).toMatch(/^HTTP\/1.1 408 /)
    expect(seen).toEqual([])
    const whole = open(direct.port, `${half('/api/webhooks/stripe')}12345678`)
    await expect.poll(() => whole.text).toContain(' 200 ')
    expect(seen).toHaveLength(1)
  })

  test('a refusal while 5 MB are still being sent reaches its client', async () => {
    const file = join(dir, 'body')
    await writeFile(file, Buffer.alloc(5_000_000, 'x'))
    const send = async (port: number): Promise<string> => {
      const data = ['-H', 'expect:', '--data-binary', `@${file}`, '-w', ' %{http_code}']
      const { stdout } = await promisify(execFile)('curl', [
        '-sS',
        ...data,
        `http://127.0.0.1:${port}/refused`,
      ])
      return stdout
    }
    for (const { port } of [direct, behindProxy])
      for (let n = 0; n < 20; n++) expect(await send(port)).toBe('refused 403')
  })

  test('the country is taken only from a proxy in front, never from the client', async () => {
    const sent = get('203.0.113.7').replace(
      'host: x\r\n',
      'host: x\r\nCF-IPCountry: NG\r\nx-other: stays\r\n',
    )
    for (const [{ port }, country] of [
      [direct, undefined],
      [behindProxy, 'NG'],
    ] as const) {
      seen.length = 0
      const answer = open(port, sent)
      await expect.poll(() => answer.text).toContain(' 200 ')
      expect(seen.map(({ headers }) => [headers['x-other'], headers['cf-ipcountry']])).toEqual([
        ['stays', country],
      ])
    }
  })
})
