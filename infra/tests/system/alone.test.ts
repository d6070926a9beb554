import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SERVICE_NAMES, songsApi } from '@prelude/contracts'
import { gatewaySettings } from '@prelude/gateway'
import { client, httpCalls, identitiesFrom, systemClock } from '@prelude/platform'
import { testDatabase, testLogger, trustedCertificate } from '@prelude/platform/testing'
import { eventually } from '@prelude/platform/eventually'
import { expect, test } from 'vitest'
import { prepare } from '../../prepare/prepare.ts'
import { freePort } from '../support/product-process.ts'
import { MASTER, ROOT, settingsFor, start } from './service-alone.ts'
import { roleUrl } from '@prelude/platform/migrate'

test.for([
  ['songs', ['DATABASE_URL', 'BUS_URL', 'INTERNAL_SECRET', 'INTERNAL_PORT']],
  ['payments', ['DATABASE_URL', 'STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET', 'PUBLIC_URL']],
  ['storage', ['BLOBS_URL', 'STAGING_DIR', 'SONGS_URL']],
  ['notifier', ['MAIL_URL', 'OPERATOR_EMAIL', 'SONGS_URL', 'GATEWAY_URL', 'PAYMENTS_URL']],
  ['gateway', ['KV_URL', 'OIDC_ISSUER', 'OPERATOR_UID', 'OPERATOR_PASSWORD_HASH', 'CREDITS_URL']],
] as const)(
  '%s as its own process refuses to start with missing settings and names them all',
  ([service, names]) => {
    const { status, stderr } = start(service)
    expect(status).toBe(1)
    expect(stderr.trim().split('\n')).toHaveLength(1)
    for (const name of names) expect(stderr).toContain(`${name} is missing`)
  },
)

test('a service alone judges its settings as make start does, and names all that are wrong', () => {
  const { stderr } = start('gateway', {
    ...settingsFor('gateway'),
    INTERNAL_SECRET: 'x',
    PUBLIC_URL: 'http://songs.example',
    OPERATOR_PASSWORD_HASH: 'scrypt$2$1$1$aaaaaaaaaaaaaaaaaaaaaa$aaaaaaaaaaaaaaaaaaaaaa',
    OIDC_CLIENT_SECRET: 'from the identity provider',
    BUS_URL: 'kafka://broker?ssl=true',
  })
  for (const wrong of [
    'INTERNAL_SECRET must have 32 characters',
    'PUBLIC_URL must be https',
    'OPERATOR_PASSWORD_HASH must be of scrypt',
    'OIDC_CLIENT_SECRET must be the real one',
    'BUS_URL has options that are unknown: ssl',
  ])
    expect(stderr).toContain(wrong)
  const payments = start('payments', {
    STRIPE_SECRET_KEY: 'from Stripe',
    STRIPE_WEBHOOK_SECRET: 'soon',
  }).stderr
  expect(payments).toContain('STRIPE_SECRET_KEY must be the real one')
  expect(payments).toContain('STRIPE_WEBHOOK_SECRET must be the real one')
})

/** Settings of the gateway that may have any text. */
const TEXTS = [
  ...['BRAND_NAME', 'OPERATOR_UID', 'OIDC_CLIENT_ID', 'OIDC_PROVIDER_NAME'],
  ...['BANK_NAME', 'BANK_ACCOUNT_NAME', 'BANK_ACCOUNT_NUMBER', 'WEB_ROOT'],
]

test('settings that are fine by themselves and not together are refused', () => {
  const local = 'postgres://prelude_songs:p@127.0.0.1/x'
  const env = {
    ...settingsFor('songs'),
    DATABASE_URL: local,
    BUS_URL: local,
    INTERNAL_PORT: '1',
    TLS_CERT: 'x',
  }
  expect(start('songs', env).stderr).toBe('Bad settings: TLS_CERT and TLS_KEY go together.\n')
  const payments = {
    ...settingsFor('payments'),
    DATABASE_URL: local,
    BUS_URL: local,
    INTERNAL_PORT: '1',
    PUBLIC_URL: 'http://localhost:8080',
    STRIPE_SECRET_KEY: 'sk_test_0123456789abcdef',
    STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef',
    RATE_LIMITS: 'off',
  }
  expect(start('payments', payments).stderr).toBe(
    'Bad settings: RATE_LIMITS=off is refused together with real Stripe keys.\n',
  )
  const gateway = {
    ...settingsFor('gateway'),
    ...Object.fromEntries(SERVICE_NAMES.map((name) => [`${name.toUpperCase()}_URL`, 'http://127.0.0.1:1'])),
    ...Object.fromEntries(TEXTS.map((name) => [name, 'any text'])),
    DATABASE_URL: local,
    BUS_URL: local,
    KV_URL: local,
    PORT: '1',
    INTERNAL_PORT: '1',
    PUBLIC_URL: 'https://songs.example',
    OPERATOR_PASSWORD_HASH: 'scrypt$131072$8$1$aaaaaaaaaaaaaaaaaaaaaa$aaaaaaaaaaaaaaaaaaaaaa',
    SUPPORT_EMAIL: gatewaySettings.supportEmail.trial,
    OPERATOR_EMAIL: 'studio@songs.example',
    OIDC_CLIENT_SECRET: 'GOCSPX-1234567890',
    OIDC_ISSUER: 'http://idp.example',
    RATE_LIMITS: 'off',
    TRUSTED_COUNTRY_HEADER: 'cf-ipcountry',
  }
  expect(start('gateway', gateway).stderr).toBe(
    'Bad settings: TRUSTED_COUNTRY_HEADER is refused with TRUSTED_PROXY_HOPS=0: anybody could send it; RATE_LIMITS=off is refused unless PUBLIC_URL is on this machine; OIDC_ISSUER must be https, or http on localhost; SUPPORT_EMAIL must be your own, since not all is on this machine.\n',
  )
})

test('a service alone serves TLS from files, and answers callers that trust its certificate', async () => {
  await using database = await testDatabase()
  const urlOf = (schema: string): string => roleUrl(database.adminUrl, schema, 'test-role-password')
  const databaseUrls = Object.fromEntries(SERVICE_NAMES.map((name) => [name, urlOf(name)]))
  await prepare(
    { adminUrl: database.adminUrl, busUrl: urlOf('bus'), kvUrl: urlOf('kv'), auditUrl: null, databaseUrls },
    testLogger(),
  )
  const dir = await mkdtemp(join(tmpdir(), 'prelude-alone-'))
  const { cert, key } = await trustedCertificate()
  const [TLS_CERT_FILE, TLS_KEY_FILE] = [join(dir, 'cert.pem'), join(dir, 'key.pem')]
  await writeFile(TLS_CERT_FILE, cert)
  await writeFile(TLS_KEY_FILE, key)
  const port = String(await freePort())
  const songs = spawn(process.execPath, ['services/songs/src/main.ts'], {
    cwd: ROOT,
    stdio: 'ignore',
    env: {
      PATH: process.env['PATH'],
      ...settingsFor('songs'),
      DATABASE_URL: urlOf('songs'),
      BUS_URL: urlOf('bus'),
      INTERNAL_PORT: port,
      TLS_CERT_FILE,
      TLS_KEY_FILE,
    },
  })
  try {
    const calls = httpCalls(
      { songs: `https://127.0.0.1:${port}` },
      identitiesFrom(MASTER)('gateway'),
      systemClock,
    )
    const list = () => client(calls, 'songs', songsApi).list({ query: {} })
    await eventually(async () => expect(await list()).toEqual({ items: [], nextCursor: null }))
    await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow('fetch failed')
  } finally {
    songs.kill('SIGINT')
    await once(songs, 'exit')
    await rm(dir, { recursive: true })
  }
})
