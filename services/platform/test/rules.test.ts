import { expect, test } from 'vitest'
import { readConfig, text } from '../src/host/config.ts'
import { internalSecret, providerSecret, publicOrigin, withoutTls } from '../src/host/rules.ts'

test('people use an origin of https, or of this machine', () => {
  for (const address of [
    'http://songs.example',
    'http://10.0.0.1',
    'ftp://localhost',
    'https://songs.example/app',
    'songs.example',
  ])
    expect(() => publicOrigin(address)).toThrow('must be')
  for (const address of [
    'https://songs.example',
    'http://localhost:8080',
    'http://127.0.0.1:1',
    'http://[::1]:1',
  ])
    expect(publicOrigin(`${address}/`)).toBe(address)
})

const RANDOM = 'abcdefghijklmnopqrstuvwxyz012345'

test('a secret of our own is long, and one from somebody else looks like theirs', () => {
  expect(internalSecret(RANDOM)).toBe(RANDOM)
  for (const bad of ['x', RANDOM.slice(1), '32 random bytes, the same for all services'])
    expect(() => internalSecret(bad)).toThrow('32 characters')
  const key = providerSecret(/^[sr]k_[\w-]+$/, 'sk_ or rk_ at its beginning')
  expect([key('sk_live_1'), key('rk_test_1-_'), providerSecret()('GOCSPX-1')]).toEqual([
    'sk_live_1',
    'rk_test_1-_',
    'GOCSPX-1',
  ])
  expect(() => key('pk_live_1')).toThrow('must be the real one, with sk_ or rk_')
  expect(() => providerSecret()('from the identity provider')).toThrow('must be the real one')
})

test('a setting that still has the text of an example is refused, whatever it is', () => {
  const settings = { key: { env: 'KEY', means: 'a key', parse: text } }
  expect(() => readConfig(settings, { KEY: 's3://CHANGE-ME@store' })).toThrow(
    'KEY still has the text of the example',
  )
})

test('a database elsewhere must say how it is reached to be used without a warning', () => {
  const url = 'postgres://role:password@db.example:5432/prelude'
  const others = {
    here: 'postgres://r:p@127.0.0.1/x',
    socket: 'postgres://r:p@%2Ftmp/x',
    kv: 'rediss://db.example',
    port: 1,
  }
  expect(withoutTls({ ...others, db: url, kind: 'postgresql://db.example/x' })).toEqual(['db', 'kind'])
  expect(withoutTls({ db: `${url}?sslmode=verify-full`, closed: `${url}?sslmode=disable` })).toEqual([])
})
