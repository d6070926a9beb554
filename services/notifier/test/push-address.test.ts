import { expect, test } from 'vitest'
import { isAllowedAddress, pushEndpoint } from '../src/domain/push-address.ts'

const strict = { loopback: false }

test.for([
  'http://push.example/a',
  'ftp://push.example/a',
  'push.example/a',
  'https://user:secret@push.example/a',
  'https://push.example:8443/a',
  'https://8.8.8.8:80/a',
  `https://push.example/${'é'.repeat(1_000)}`,
  'https://localhost/a',
  'https://push.localhost/a',
  'https://127.0.0.1/a',
  'https://2130706433/a',
  'https://0x7f.1/a',
  'https://10.1.2.3/a',
  'https://172.31.0.1/a',
  'https://192.168.0.1/a',
  'https://169.254.169.254/latest/meta-data',
  'https://100.64.0.1/a',
  'https://0.0.0.0/a',
  'https://255.255.255.255/a',
  'https://[::1]/a',
  'https://[::]/a',
  'https://[::ffff:10.0.0.1]/a',
  'https://[fd00::1]/a',
  'https://[fe80::1]/a',
  'https://[64:ff9b::a00:1]/a',
  'https://[2002:a00:1::]/a',
  'https://[2001:db8::1]/a',
])('%s is no endpoint of a subscription', (given) => {
  expect(() => pushEndpoint(given, strict)).toThrow('invalid_request')
})

test('addresses of the internet are endpoints, those of this machine only for tests, those of networks never', () => {
  for (const given of [
    'https://fcm.googleapis.com/fcm/send/a:b',
    'https://8.8.8.8/a',
    'https://[2a00:1450::1]/a',
    'https://push.example/a',
  ])
    expect(pushEndpoint(given, strict).href).toBe(given)
  for (const given of ['https://localhost:1/a', 'https://127.0.0.1/a', 'https://[::1]/a'])
    expect(pushEndpoint(given, { loopback: true }).href).toBe(given)
  expect(() => pushEndpoint('https://8.8.8.8:8443/a', { loopback: true })).toThrow('invalid_request')
  expect(() => pushEndpoint('https://10.0.0.1/a', { loopback: true })).toThrow('invalid_request')
  expect(() => pushEndpoint('http://localhost/a', { loopback: true })).toThrow('invalid_request')
  expect(
    ['8.8.8.8', '2a00:1450::1', '::1', '127.0.0.1', '10.0.0.1'].map((one) => isAllowedAddress(one, strict)),
  ).toEqual([true, true, false, false, false])
})
