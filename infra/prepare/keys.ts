import { randomBytes } from 'node:crypto'
import { SERVICE_NAMES } from '@prelude/contracts'
import { publicKeyOf } from '@prelude/platform'

/**
 * `node infra/prepare/keys.ts [service …]`: prints a new INTERNAL_SECRET for each service (or those named), which only that
 * service may have, and the entries of INTERNAL_PUBLIC_KEYS that belong to them, which all have.
 */
const named = process.argv.slice(2)
const made = SERVICE_NAMES.filter((name) => named.length === 0 || named.includes(name)).map((service) => ({
  service,
  secret: randomBytes(32).toString('base64url'),
}))
for (const { service, secret } of made) process.stdout.write(`${service}: INTERNAL_SECRET=${secret}\n`)
const keys = made.map(({ service, secret }) => publicKeyOf(service, secret))
process.stdout.write(`all: INTERNAL_PUBLIC_KEYS=${keys.join(',')}\n`)
