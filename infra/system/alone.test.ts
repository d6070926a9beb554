import { spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../..')

const start = (part: string, env: Record<string, string> = {}) =>
  spawnSync(join(ROOT, 'node_modules/.bin/node'), ['infra/native/service.ts', part], {
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
] as const)('%s alone refuses to start with settings missing and names them all', ([part, names]) => {
  const { status, stderr } = start(part)
  expect(status).toBe(1)
  expect(stderr.trim().split('\n')).toHaveLength(1)
  for (const name of names) expect(stderr).toContain(`${name} is missing`)
})

test('an unknown part is refused with the names of the known ones', () => {
  const { status, stderr } = start('kitchen')
  expect(status).toBe(1)
  expect(stderr).toContain('gateway, songs, credits, payments, storage, notifier')
})
