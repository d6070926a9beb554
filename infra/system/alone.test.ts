import { spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../..')

const start = (service: string, env: Record<string, string> = {}) =>
  spawnSync(join(ROOT, 'node_modules/.bin/node'), ['infra/native/service.ts', service], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], ...env },
    encoding: 'utf8',
    timeout: 20_000,
  })

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

test('an unknown service is refused with the names of the known ones', () => {
  const { status, stderr } = start('kitchen')
  expect(status).toBe(1)
  expect(stderr).toContain('gateway, songs, credits, payments, storage, notifier')
})
