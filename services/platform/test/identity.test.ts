import { SERVICE_NAMES, type ServiceName } from '@prelude/contracts'
import { expect, test } from 'vitest'
import { isSigned, signMessage } from '../src/events/kafka/signature.ts'
import {
  createIdentity,
  identitiesFrom,
  publicKeyOf,
  publicKeysFrom,
  readPublicKeys,
  secretOf,
} from '../src/identity.ts'

const MASTER = 'a master secret of this test'
const identityOf = identitiesFrom(MASTER)
const TOPIC = 'prelude.payments'
const callKeys = (one: ServiceName, other: ServiceName): string[] =>
  identityOf(one)
    .callKeys(other)
    .map((key) => key.export().toString('hex'))

test('two services share a key that no third one has, and no two pairs share one', () => {
  const keys = SERVICE_NAMES.flatMap((one, i) =>
    SERVICE_NAMES.slice(i).map((other) => {
      const [key] = callKeys(one, other)
      expect(callKeys(other, one)).toEqual([key])
      return key
    }),
  )
  expect(new Set(keys).size).toBe(21)
})

test('a message is signed by the service that owns its topic, as it is, or not at all', async () => {
  const message = { key: 'ada', value: '{"credits":1}' }
  const signature = await signMessage(identityOf('payments'), TOPIC, message.key, message.value)
  const credits = identityOf('credits')
  expect(await isSigned(credits, TOPIC, { ...message, signature })).toBe(true)
  expect(await isSigned(credits, TOPIC, { ...message, value: '{"credits":2}', signature })).toBe(false)
  expect(await isSigned(credits, TOPIC, { ...message, key: 'eve', signature })).toBe(false)
  expect(await isSigned(credits, 'prelude.songs', { ...message, signature })).toBe(false)
  const bySongs = await signMessage(identityOf('songs'), TOPIC, message.key, message.value)
  for (const wrong of [bySongs, Buffer.alloc(64), Buffer.alloc(0)])
    expect(await isSigned(credits, TOPIC, { ...message, signature: wrong })).toBe(false)
})

test('while a service changes its secret, both of its keys are known', async () => {
  const old = createIdentity('payments', secretOf('payments', MASTER), [])
  const now = publicKeyOf('payments', 'the new secret of payments')
  const credits = createIdentity(
    'credits',
    secretOf('credits', MASTER),
    readPublicKeys(`${now},${publicKeysFrom(MASTER)}`),
  )
  const signature = await signMessage(old, TOPIC, 'ada', '{}')
  expect(await isSigned(credits, TOPIC, { key: 'ada', value: '{}', signature })).toBe(true)
  expect(credits.callKeys('payments')).toHaveLength(2)
})

test('public keys are of every service and of no other', () => {
  for (const keys of ['', 'songs=abc', publicKeysFrom(MASTER).replace('songs=', 'kitchen=')])
    expect(() => readPublicKeys(keys)).toThrow('must be service=key')
  const others = 'lacks gateway, credits, payments, storage, notifier'
  expect(() => readPublicKeys(publicKeyOf('songs', 'x'))).toThrow(others)
})
