import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { hashPassword, personUid, STAND_IN } from '@prelude/gateway'
import { notifierProgram } from '@prelude/notifier'
import { readConfig, type Setting, systemClock } from '@prelude/platform'
import { testLogger } from '@prelude/platform/testing'
import { expect, test } from 'vitest'
import { dataFolder } from '../../cli/command.ts'
import { GIVEN } from '../../docker/secrets.ts'
import { settingsToAdd, TRIAL } from '../../docker/settings.ts'
import { misplaced } from '../../embedded/dot-env.ts'
import { reachOutsideParties, STAND_IN_OPERATOR } from '../../embedded/outside-parties.ts'
import { keptSecrets } from '../../embedded/secrets.ts'
import { publicHostOf, readSettings, SETTINGS } from '../../embedded/settings.ts'
import { SERVICES } from '../support/programs.ts'
import { subjectOf } from '../../stand-ins/identity/index.ts'
import { OWN_SETTINGS } from '../support/own-settings.ts'

const SIGN_IN = {
  OIDC_ISSUER: 'https://idp.example',
  OIDC_CLIENT_ID: 'prelude',
  OIDC_CLIENT_SECRET: 'x'.repeat(16),
  OPERATOR_UID: 'operator',
}
const SAFE = { PUBLIC_URL: 'https://songs.example', TRUSTED_PROXY_HOPS: '1', ...OWN_SETTINGS }

const MISSING = join(import.meta.dirname, 'none.txt')
const REFUSED: [Record<string, string>, string][] = [
  [{ PUBLIC_URL: 'http://songs.example' }, 'PUBLIC_URL must be https'],
  [{ ...SIGN_IN, PUBLIC_URL: 'https://songs.example' }, 'BANK_ACCOUNT_NUMBER must be your own'],
  [{ ...SAFE, ...SIGN_IN, RATE_LIMITS: 'off' }, 'RATE_LIMITS=off'],
  [{ ...SAFE, PUBLIC_HOST: '0.0.0.0' }, 'PUBLIC_HOST must be one of localhost, 127.0.0.1'],
  [{ OPERATOR_PASSWORD: 'short' }, 'OPERATOR_PASSWORD must have 12 characters'],
  [
    { OPERATOR_PASSWORD_HASH: 'scrypt$32768$8$1$aaaaaaaaaaaaaaaaaaaaaa$aaaaaaaaaaaaaaaaaaaaaa' },
    'N of 131072',
  ],
  [{ ...SAFE, PUSH_LOOPBACK: 'on' }, 'PUSH_LOOPBACK=on is refused'],
  [{ VAPID_PUBLIC_KEY: 'short' }, 'VAPID_PUBLIC_KEY must be the public key'],
  [{ VAPID_PRIVATE_KEY: 'A'.repeat(42) + 'E' }, 'go together'],
  [{ VAPID_PUBLIC_KEY: 'B'.repeat(87), VAPID_PRIVATE_KEY: 'A'.repeat(42) + 'E' }, 'is not that of'],
  [
    {
      ...OWN_SETTINGS,
      STRIPE_SECRET_KEY: 'sk_test_0123456789abcdef',
      STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef',
      RATE_LIMITS: 'off',
    },
    'RATE_LIMITS=off is refused together with real Stripe keys',
  ],
  [{ TERMS_FILE: MISSING }, `TERMS_FILE names a text that cannot be shown, ${MISSING}: ENOENT`],
  [{ GENERATOR_URL: 'http://gpu.example/v1' }, 'GENERATOR_URL must be an address without a path'],
  [{ GENERATOR_URL: 'http://me:key@gpu.example' }, 'GENERATOR_URL must be an address without a path'],
  [{ GENERATOR_URL: 'standin' }, 'GENERATOR_URL must be a URL'],
  [{ GENERATOR_KEY: 'two words' }, 'GENERATOR_KEY must be the real one'],
  [{ GENERATOR_OPTIONS: '[]' }, 'GENERATOR_OPTIONS must be a JSON object'],
  [{ GENERATOR_OPTIONS: '{steps: 8}' }, 'GENERATOR_OPTIONS must be a JSON object'],
  [{ DRAFTS_AT_ONCE: '0' }, 'DRAFTS_AT_ONCE must be a whole number'],
  [{ DRAFTS_A_SONG: '1.5' }, 'DRAFTS_A_SONG must be a whole number'],
  [{ DRAFT_DAYS: '-1' }, 'DRAFT_DAYS must be a number'],
  [{ IMPRINT_FILE: '/dev/null' }, 'IMPRINT_FILE names a text that cannot be shown, /dev/null: it is empty'],
]
test('settings that are wrong, or contradict each other, are refused', () => {
  for (const [env, why] of REFUSED) expect(() => readSettings(env)).toThrow(why)
})

test('a setting is judged by the same rule in one process as by the services that read it', () => {
  const own = new Map(Object.values<Setting<unknown>>(SETTINGS).map(({ env, parse }) => [env, parse]))
  const shared = Object.values(SERVICES).flatMap(({ settings }) =>
    Object.values(settings).filter(({ env }) => own.has(env)),
  )
  expect(shared.length).toBeGreaterThan(30)
  // each shape has a port of its own for the same purpose
  const different = shared.filter(({ env, parse }) => env !== 'PORT' && own.get(env) !== parse)
  expect(different.map(({ env }) => env)).toEqual([])
  for (const [env, value] of [
    ['SUPPORT_EMAIL', 'help'],
    ['OPERATOR_EMAIL', 'the studio'],
    ['TRUSTED_COUNTRY_HEADER', 'cf ipcountry'],
  ] as const)
    expect(() => own.get(env)?.(value)).toThrow('must be')
})

const REAL = [
  { ...SIGN_IN, PUBLIC_URL: 'https://songs.example' },
  SIGN_IN,
  { STRIPE_SECRET_KEY: 'sk_live_0123456789abcdef', STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef' },
  { PAYSTACK_SECRET_KEY: 'sk_test_0123456789abcdef' },
  { SMTP_URL: 'smtps://a:b@mail.example' },
]
test('addresses and accounts of a trial are refused together with anything real', () => {
  const named = Object.keys(TRIAL).map((env) => `${env} must be your own`)
  expect(named).toHaveLength(5)
  for (const real of REAL) for (const refusal of named) expect(() => readSettings(real)).toThrow(refusal)
})

test('the notifier alone refuses what contradicts the address of the product', () => {
  const refusals = (PUBLIC_URL: string) => {
    const env = {
      ...OWN_SETTINGS,
      MAIL_URL: 'smtp://localhost',
      PUBLIC_URL,
      SUPPORT_EMAIL: TRIAL['SUPPORT_EMAIL'],
      PUSH_LOOPBACK: 'on',
    }
    return notifierProgram.contradictions?.(readConfig(notifierProgram.settings, env))
  }
  expect(refusals('http://localhost:8080')).toEqual([])
  expect(refusals('https://songs.example')).toEqual([
    'PUSH_LOOPBACK=on is refused unless PUBLIC_URL is on this machine',
    'SUPPORT_EMAIL must be your own, since not all is on this machine',
  ])
})

test('no settings, those of tests, and those behind a proxy are fine', () => {
  expect(readSettings({}).publicUrl).toBe('http://localhost:8080')
  const local = {
    RATE_LIMITS: 'off',
    STRIPE_WEBHOOK_SECRET: 'whsec_of_a_test',
    OPERATOR_PASSWORD: 'twelve chars',
  }
  expect(readSettings(local)).toMatchObject({ rateLimits: false, operatorPassword: 'twelve chars' })
  expect(readSettings(SAFE).publicUrl).toBe('https://songs.example')
  // with the identity stand-in nobody elsewhere can sign in
  const tried = { PUBLIC_URL: 'https://songs.example', RATE_LIMITS: 'off' }
  expect(readSettings(tried).publicUrl).toBe('https://songs.example')
})

test('the public port listens on this machine alone while a stand-in is in use, then on all addresses or the one that is set', () => {
  const real = {
    ...SAFE,
    ...SIGN_IN,
    STRIPE_SECRET_KEY: 'sk_live_0123456789abcdef',
    STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef',
  }
  const mail = { SMTP_URL: 'smtps://a:b@mail.example' }
  const hostWith = (env: Record<string, string>): string => publicHostOf(readSettings(env))
  expect([hostWith(real), hostWith({ ...real, ...mail })]).toEqual(['localhost', '0.0.0.0'])
  const generatorAt = (GENERATOR_URL: string) => hostWith({ ...real, ...mail, GENERATOR_URL })
  expect([generatorAt('http://gpu.lan:8001'), generatorAt('stand-in')]).toEqual(['0.0.0.0', 'localhost'])
  expect(hostWith({ ...real, ...mail, PUBLIC_HOST: '10.0.0.1' })).toBe('10.0.0.1')
  expect(hostWith({ PUBLIC_HOST: '127.0.0.1' })).toBe('127.0.0.1')
})

test('with the hash of the operator password no file holds a password', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'prelude-settings-'))
  const made = await keptSecrets(dir)
  expect(made.operatorPassword).toMatch(/^(\w{4}-){3}\w{4}$/)
  expect(await keptSecrets(dir)).toEqual(made)
  const OPERATOR_PASSWORD_HASH = await hashPassword('a password of my own')
  expect(() => readSettings({ OPERATOR_PASSWORD_HASH, OPERATOR_PASSWORD: 'twelve chars' })).toThrow(
    'both set',
  )
  const { operatorPassword: _gone, ...others } = made
  expect(await keptSecrets(dir, readSettings({ OPERATOR_PASSWORD_HASH }))).toEqual(others)
  for (const name of await readdir(dir))
    expect(await readFile(join(dir, name), 'utf8')).not.toContain(made.operatorPassword)
  await rm(dir, { recursive: true })
})

test('`make start` hashes the password, which its folder holds as it was typed, at once, and keeps a hash that was set', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'prelude-settings-'))
  const real = {
    ...SAFE,
    ...SIGN_IN,
    STRIPE_SECRET_KEY: 'sk_live_0123456789abcdef',
    STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef',
    SMTP_URL: 'smtps://a:b@mail.example',
    DATA_DIR: dir,
  }
  const hashWith = async (env: Record<string, string>): Promise<string> => {
    const settings = readSettings({ ...real, ...env })
    const secrets = await keptSecrets(dir, settings)
    const outside = await reachOutsideParties({ settings, secrets, clock: systemClock, logger: testLogger() })
    await outside.stop()
    return outside.identity.operatorPasswordHash
  }
  const [, N, r] = (await hashWith({ OPERATOR_PASSWORD: 'twelve chars' })).split('$').map(Number)
  // 128 times less than where only the hash is kept
  expect([N, r]).toEqual([2 ** 10, 8])
  const OPERATOR_PASSWORD_HASH = await hashPassword('a password of my own')
  expect(await hashWith({ OPERATOR_PASSWORD_HASH })).toBe(OPERATOR_PASSWORD_HASH)
  await rm(dir, { recursive: true })
})

test('the operator of a trial is the person whose address the stand-in for sign-in gets', () => {
  expect(STAND_IN.OPERATOR_UID).toBe(personUid(STAND_IN.OIDC_PROVIDER_NAME, subjectOf(STAND_IN_OPERATOR)))
})

test('a setting in .env that the way to start does not read is refused, a secret of containers with its file', () => {
  const dotEnv = {
    SMTP_URL: 'smtp://a',
    OIDC_CLIENT_SECRET_FILE: '/x',
    PUBLIC_HOST: '::1',
    BRAND_NAME: 'Aria',
    MINE: '1',
  }
  expect(misplaced(dotEnv, GIVEN)).toEqual([
    'SMTP_URL in .env is not read by containers: it belongs into infra/docker/secrets/mail-url',
    'OIDC_CLIENT_SECRET_FILE in .env is not read by containers: it belongs into infra/docker/secrets/oidc-client-secret',
    'PUBLIC_HOST in .env is not read by containers',
  ])
  expect(misplaced({ ...dotEnv, MAIL_URL: 'smtp://a', GRAFANA_PORT: '1', ARCHIVE: '' }, null)).toEqual([
    'MAIL_URL in .env is read by containers, not by make start',
    'GRAFANA_PORT in .env is read by containers, not by make start',
  ])
})

test('a first run adds to .env what it lacks, and no stand-in beside an identity provider', () => {
  const added = (found: Record<string, string>) => settingsToAdd(found, 8080).missing.map(([name]) => name)
  expect(
    misplaced(Object.fromEntries(settingsToAdd({}, 8080).missing.map(([name]) => [name, 'x'])), GIVEN),
  ).toEqual([])
  expect(added({ BRAND_NAME: 'Aria', COMPOSE_PROFILES: '' })).toEqual(
    expect.arrayContaining(['LISTEN', 'OIDC_ISSUER', 'OPERATOR_UID', 'BANK_NAME']),
  )
  const real = { OIDC_ISSUER: 'https://idp.example' }
  expect(added(real).filter((name) => /OIDC|STRIPE|COMPOSE|UID/.test(name))).toEqual([])
  expect(added({ ...real, LISTEN: '', BANK_NAME: '' })).not.toContain('BANK_NAME')
})

test('beside the .env of containers a command refuses ./data with the right one, unless DATA_DIR is set', () => {
  const containers = { LISTEN: '127.0.0.1' }
  const folder = (args: string[], env = {}) => dataFolder(env, containers, args)
  expect(() => folder(['check-invariants', '--deep', '--to='])).toThrow(
    'docker compose run --rm prepare prelude check-invariants --deep.',
  )
  expect(() => folder(['backup', '--to=backups/broken', '--keep='])).toThrow(
    'docker compose run --rm backup prelude backup --in=/backups.',
  )
  expect(() => folder(['restore', '--from=backups/broken'])).toThrow(
    'docker compose run --rm -v prelude_backups:/backups prepare prelude restore --from=/backups/….',
  )
  expect(() => folder(['export-person', '--uid=a', '--to=person.zip'])).toThrow(
    'docker compose exec -T gateway prelude export-person --uid=a --to=- > person.zip.',
  )
  expect(folder(['replay'], { DATA_DIR: '/data' })).toBe('/data')
  expect(dataFolder({}, {}, ['replay'])).toBe(resolve('data'))
})
