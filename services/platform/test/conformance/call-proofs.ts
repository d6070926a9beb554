import type { ServiceName } from '@prelude/contracts'
import { expect, test, vi } from 'vitest'
import { client } from '../../src/http/calls/client.ts'
import type { CallRequest } from '../../src/http/calls/port.ts'
import { LIFETIME_MS, proveCall } from '../../src/http/calls/proof.ts'
import { createIdentity, type Identity, publicKeysFrom, readPublicKeys } from '../../src/identity.ts'
import { api, type CallsUnderTest, paid } from './calls.ts'

/** What every ServiceCall must keep of who calls; as `callsConformance`. */
export function callProofsConformance(
  name: string,
  identityOf: (service: ServiceName) => Identity,
  open: () => Promise<CallsUnderTest>,
): void {
  const PAY = { method: 'PUT', path: '/payments/1?a=b', body: '{"cents":5}' }
  const JSON_TYPE = { 'content-type': 'application/json' }
  const prove = (from: ServiceName, to: ServiceName = 'songs', request: CallRequest = PAY) =>
    proveCall(identityOf(from), to, request, Date.now())

  test(`${name}: an operation accepts the gateway and the callers that it names`, async () => {
    await using opened = await open()
    const as = (service: ServiceName) => client(opened.callsOf(identityOf(service)), 'songs', api)
    const pay = { params: { id: '1' }, body: { cents: 1 } }
    await as('gateway').ask()
    await as('notifier').ask()
    await as('gateway').pay(pay)
    await expect(as('credits').ask()).rejects.toMatchObject({ code: 'not_found' })
    await expect(as('notifier').pay(pay)).rejects.toMatchObject({ code: 'not_found' })
  })

  test(`${name}: a service cannot call as another one, nor somebody with a secret of their own`, async () => {
    await using opened = await open()
    const [, ...claims] = (prove('notifier')['x-prelude-call'] ?? '').split('.')
    const renamed = { 'x-prelude-call': ['gateway', ...claims].join('.') }
    expect(await opened.send({ ...PAY, headers: { ...JSON_TYPE, ...renamed } })).toBe(404)
    const stranger = createIdentity(
      'gateway',
      'a secret of their own',
      readPublicKeys(publicKeysFrom('a secret')),
    )
    const calls = opened.callsOf(stranger)
    expect((await calls.call('songs', { ...PAY, headers: JSON_TYPE })).status).toBe(404)
  })

  test.for<[what: string, proof: (right: string) => string, changes: Partial<CallRequest>]>([
    ['path', (right) => right, { path: '/payments/2?a=b' }],
    ['query', (right) => right, { path: '/payments/1?a=c' }],
    ['body', (right) => right, { body: '{"cents":6}' }],
    ['method', (right) => right, { method: 'POST' }],
    ['caller', (right) => right.replace('gateway', 'songs'), {}],
    ['time', (right) => right.replace(/\d{13}/, String(Date.now() + 1_000)), {}],
    ['digest of the body', (right) => right.replace(/\.[\w-]{43}\./, '.stream.'), {}],
    ['receiver', () => prove('gateway', 'credits')['x-prelude-call'] ?? '', {}],
  ])(`${name}: a proof does not hold for another %s`, async ([, proof, changes]) => {
    await using opened = await open()
    paid.length = 0
    const right = prove('gateway')['x-prelude-call'] ?? ''
    const headers = { ...JSON_TYPE, 'x-prelude-call': proof(right) }
    expect(await opened.send({ ...PAY, headers, ...changes })).toBe(404)
    expect(paid).toEqual([])
    expect(await opened.send({ ...PAY, headers: { ...JSON_TYPE, ...prove('gateway') } })).toBe(200)
  })

  test(`${name}: a proof without a body holds for none, and that of JSON for no other content`, async () => {
    await using opened = await open()
    const echo = { method: 'POST', path: '/echo', body: 'words' }
    const bytes = { 'content-type': 'application/octet-stream' }
    const { body: _body, ...empty } = echo
    for (const signed of [empty, echo])
      expect(
        await opened.send({ ...echo, headers: { ...bytes, ...prove('gateway', 'songs', signed) } }),
      ).toBe(404)
  })

  test.for([
    '',
    'x',
    'gateway.1.2.none.é',
    `gateway.${Date.now()}.n.none.${'é'.repeat(43)}`,
    'nobody.1.2.none.x',
  ])(`${name}: a proof of %j is refused as any other wrong one`, async (proof) => {
    await using opened = await open()
    expect(await opened.send({ method: 'GET', path: '/ids', headers: { 'x-prelude-call': proof } })).toBe(404)
  })

  test(`${name}: a call that changes something is taken once, a read as often as it comes`, async () => {
    await using opened = await open()
    paid.length = 0
    const change = { ...PAY, headers: { ...JSON_TYPE, ...prove('gateway') } }
    expect([await opened.send(change), await opened.send(change)]).toEqual([200, 404])
    expect(paid).toEqual([5])
    const read = { method: 'GET', path: '/ids' }
    const same = { ...read, headers: prove('gateway', 'songs', read) }
    expect([await opened.send(same), await opened.send(same)]).toEqual([200, 200])
  })

  test(`${name}: a call signed by a clock that is off is refused as such`, async () => {
    await using opened = await open()
    vi.useFakeTimers({ now: Date.now() - LIFETIME_MS - 1_000, toFake: ['Date'] })
    const headers = { ...JSON_TYPE, ...prove('gateway') }
    vi.useRealTimers()
    expect(await opened.send({ ...PAY, headers })).toBe(503)
  })
}
