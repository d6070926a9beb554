import { isIPv6 } from 'node:net'
import { AppError, type KeyValue } from '@prelude/platform'
import type { FastifyInstance } from 'fastify'
import { callerAddress } from '../countries.ts'
import type { RouteDeps } from '../route-deps.ts'
import type { Limit } from '../public-route.ts'

const MINUTE_MS = 60_000
const PER_MINUTE: Record<Exclude<Limit, 'none'>, number> = { change: 120, submit: 30, 'sign-in': 20 }
const CHANGES = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/** Fixed minutes, counted in the key-value store so that all instances count together. Errors: too_many_requests. */
export function registerLimits(app: FastifyInstance, { kv, config }: RouteDeps): void {
  if (!config.rateLimits) return
  app.addHook('onRequest', async (request) => {
    const route = request.routeOptions.config.publicRoute
    if (!route) return
    const limit = route.limit ?? (CHANGES.has(request.method) ? 'change' : 'none')
    if (limit === 'none') return
    if (limit === 'sign-in') return count(kv, limit, network(callerAddress(request, config.trustedProxyHops)))
    if (!request.caller) return
    await count(kv, 'change', request.caller.uid)
    if (limit === 'submit') await count(kv, limit, request.caller.uid)
  })
}

async function count(kv: KeyValue, limit: Exclude<Limit, 'none'>, who: string): Promise<void> {
  const now = Date.now()
  const minute = Math.floor(now / MINUTE_MS)
  const calls = await kv.increment(`limit:${limit}:${who}:${minute}`, 2 * MINUTE_MS)
  if (calls <= PER_MINUTE[limit]) return
  throw new AppError('too_many_requests', {
    retryAfterSeconds: Math.ceil(((minute + 1) * MINUTE_MS - now) / 1000),
  })
}

/** One household has a /64 of IPv6 to itself. */
const network = (address: string): string =>
  isIPv6(address) ? new URL(`http://[${address}]`).hostname.split(':').slice(0, 4).join(':') : address
