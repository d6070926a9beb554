import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { eventually } from '@prelude/platform/eventually'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { ADA, type Browser, EVE, standingClock, startGateway, type TestGateway } from './start-gateway.ts'

/** Refusals while a large body still comes in: ordinary clients read every one. */

const BODY = new Uint8Array(5 * 1024 * 1024)
const AT_ONCE = 5

let gateway: TestGateway
let eve: Browser
/** Where Ada has reached the limit of a minute that does not end. */
let limiting: TestGateway
let ada: Browser
let dir: string
const cookieOf = ({ cookies }: Browser) => ({
  cookie: [...cookies].map((pair) => pair.join('=')).join('; '),
})
beforeAll(async () => {
  gateway = await startGateway()
  eve = await gateway.signIn(EVE)
  limiting = await startGateway({ clock: standingClock(Date.UTC(2026, 0, 2)), config: { rateLimits: true } })
  ada = await limiting.signIn(ADA)
  for (let status = 0; status !== 429;) ({ status } = await ada.post('/api/songs', {}))
  dir = await mkdtemp(join(tmpdir(), 'prelude-early-'))
  await writeFile(join(dir, 'body'), BODY)
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await limiting[Symbol.asyncDispose]()
  await rm(dir, { recursive: true })
})

type Send = (at: TestGateway, path: string, headers: Record<string, string>) => Promise<number>

const byFetch: Send = async (at, path, headers) => {
  const answer = await fetch(at.base + path, { method: 'POST', headers, body: BODY })
  expect(await answer.json()).toMatchObject({ status: answer.status })
  return answer.status
}

/** Its body has no length. */
const byStreamingFetch: Send = async (at, path, headers) => {
  const body = new Blob([BODY]).stream()
  const answer = await at.visitor().send(path, { method: 'POST', headers, body, duplex: 'half' })
  expect(await answer.json()).toMatchObject({ status: answer.status })
  return answer.status
}

const byCurl =
  (...options: string[]): Send =>
  async (at, path, headers) => {
    const given = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
    const file = `@${join(dir, 'body')}`
    const args = ['-sS', '-X', 'POST', ...options, ...given, '--data-binary', file, at.base + path]
    const { stdout } = await promisify(execFile)('curl', args)
    return (JSON.parse(stdout) as { status: number }).status
  }

describe.for<[string, Send]>([
  ['fetch', byFetch],
  ['fetch of a stream', byStreamingFetch],
  ['curl', byCurl('-H', 'expect:')],
  ['curl that asks first', byCurl('-H', 'expect: 100-continue')],
  ['curl that closes', byCurl('-H', 'expect:', '-H', 'connection: close')],
  ['curl of HTTP/1.0', byCurl('-0')],
])('%s reads', ([, send]) => {
  test.for<[number, string, (() => Record<string, string>)?]>([
    [401, '/api/songs'],
    [403, '/api/songs', () => ({ origin: 'https://evil.example' })],
    [404, '/api/nope'],
    [413, '/api/songs', () => cookieOf(eve)],
    [429, '/api/songs', () => cookieOf(ada)],
  ])('%i of %s', async ([status, path, more]) => {
    const at = status === 429 ? limiting : gateway
    const headers = { 'content-type': 'application/json', ...more?.() }
    const statuses = await Promise.all(Array.from({ length: AT_ONCE }, () => send(at, path, headers)))
    expect(new Set(statuses)).toEqual(new Set([status]))
  })
})

test.for(['keep-alive', 'close'])(
  'a connection (%s) takes the rest of a body after its answer',
  async (how) => {
    const socket = connect({ port: gateway.port, host: '127.0.0.1', allowHalfOpen: true })
    const failed = vi.fn<(error: Error) => void>()
    let text = ''
    socket.on('data', (data) => (text += data.toString())).on('error', failed)
    const head = ['POST /api/songs HTTP/1.1', 'host: x', `connection: ${how}`]
    socket.write([...head, `content-length: ${BODY.length + 1}`, '', 'x'].join('\r\n'))
    if (how === 'close') await once(socket, 'end')
    await eventually(() => expect(text).toMatch(/^HTTP\/1.1 401 .*"code":"not_signed_in"/s))
    const closed = once(socket, 'close')
    await promisify((done: (error?: Error | null) => void) => socket.write(BODY, done))()
    socket.end()
    await closed
    expect(failed).not.toHaveBeenCalled()
  },
)
