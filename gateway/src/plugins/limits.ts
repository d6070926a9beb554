import { AppError } from '@prelude/platform'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { callerAddress, networkOf } from '../countries.ts'
import type { RouteDeps } from '../route-deps.ts'
import { isChange, type Limit } from '../public-route.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const LIMITS = {
  change: { most: 120, windowMs: MINUTE_MS },
  submit: { most: 30, windowMs: MINUTE_MS },
  'submit-day': { most: 100, windowMs: DAY_MS },
  search: { most: 120, windowMs: MINUTE_MS },
  'sign-in': { most: 20, windowMs: MINUTE_MS },
  'client-error': { most: 20, windowMs: MINUTE_MS },
} as const satisfies Record<
  Exclude<Limit, 'shared' | 'none'> | 'submit-day',
  { most: number; windowMs: number }
>
/** Plays, pages and covers of links, of one address on this instance: many at once leave the others their connections. */
const SHARED_AT_ONCE = 100

/** Fixed minutes and days, counted in the key-value store so that all instances count together. Errors: too_many_requests. */
export function registerLimits(app: FastifyInstance, deps: RouteDeps): void {
  const { config } = deps
  if (!config.rateLimits) return
  const shared = new Map<string, number>()
  app.addHook('onRequest', async (request, reply) => {
    const { publicRoute: route, limit: ofPage } = request.routeOptions.config
    const limit = ofPage ?? route?.limit ?? (isChange(request.method) ? 'change' : 'none')
    if (limit === 'none') return
    if (limit === 'shared')
      return countUntilSent(shared, networkOf(callerAddress(request, config.trustedProxyHops), 4), reply)
    if (limit === 'sign-in' || limit === 'client-error')
      await count(deps, limit, networkOf(callerAddress(request, config.trustedProxyHops), 4))
    if (limit === 'sign-in' || !request.caller) return
    const { uid } = request.caller
    if (limit === 'client-error') return count(deps, limit, uid)
    if (limit === 'search') return isSearch(request) ? count(deps, limit, uid) : undefined
    await count(deps, 'change', uid)
    if (limit !== 'submit') return
    await count(deps, 'submit', uid)
    await count(deps, 'submit-day', uid)
  })
}

/** Errors: too_many_requests. */
function countUntilSent(calls: Map<string, number>, who: string, reply: FastifyReply): void {
  const now = calls.get(who) ?? 0
  if (now >= SHARED_AT_ONCE) throw new AppError('too_many_requests', { retryAfterSeconds: 1 })
  calls.set(who, now + 1)
  reply.raw.once('close', () => {
    const left = (calls.get(who) ?? 1) - 1
    if (left === 0) calls.delete(who)
    else calls.set(who, left)
  })
}

/** A list without a phrase is a read like any other. */
export const isSearch = ({ query }: Pick<FastifyRequest, 'query'>): boolean =>
  Boolean((query as { q?: unknown }).q)

async function count({ kv, clock }: RouteDeps, limit: keyof typeof LIMITS, who: string): Promise<void> {
  const { most, windowMs } = LIMITS[limit]
  const now = clock.now()
  const window = Math.floor(now / windowMs)
  const calls = await kv.increment(`limit:${limit}:${who}:${window}`, 2 * windowMs)
  if (calls <= most) return
  throw new AppError('too_many_requests', {
    retryAfterSeconds: Math.ceil(((window + 1) * windowMs - now) / 1000),
  })
}
