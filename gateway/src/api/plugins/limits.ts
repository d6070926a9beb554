import { AppError, type Clock } from '@prelude/platform'
import type { FastifyInstance } from 'fastify'
import type { GatewayConfig } from '../../config.ts'
import { callerNetwork } from '../caller-address.ts'
import { personOf } from '../caller.ts'
import { inFlight } from '../in-flight.ts'
import { isChange, type Limit } from '../public-route.ts'
import { slotsUntilClosed } from '../slots.ts'
import type { KeyValue } from '../key-value/port.ts'

type Deps = { clock: Clock; config: GatewayConfig; kv: KeyValue }

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

interface Counter {
  readonly name: string
  readonly most: number
  readonly windowMs: number
  /** Of the caller's address; of the person if not given. */
  readonly ofAddress?: true
}

const CHANGE: Counter = { name: 'change', most: 120, windowMs: MINUTE_MS }
const CLIENT_ERROR: Counter = { name: 'client-error', most: 20, windowMs: MINUTE_MS }
const COUNTERS: Record<Exclude<Limit, 'shared' | 'none'>, readonly Counter[]> = {
  change: [CHANGE],
  submit: [
    CHANGE,
    { name: 'submit', most: 30, windowMs: MINUTE_MS },
    { name: 'submit-day', most: 100, windowMs: DAY_MS },
  ],
  search: [{ name: 'search', most: 120, windowMs: MINUTE_MS }],
  drawn: [{ name: 'drawn', most: 30, windowMs: MINUTE_MS }],
  'sign-in': [{ name: 'sign-in', most: 20, windowMs: MINUTE_MS, ofAddress: true }],
  'client-error': [{ ...CLIENT_ERROR, ofAddress: true }, CLIENT_ERROR],
  'web-vitals': [{ name: 'web-vitals', most: 20, windowMs: MINUTE_MS, ofAddress: true }],
}
/** Pages, covers and waveforms of links, of one address on this instance: many at once leave the others their connections. */
const SHARED_AT_ONCE = 100
/** Of one person at once, also without limits: each costs the processor or a connection to storage as long as it lasts. */
const DRAWN_AT_ONCE = { name: 'drawn', most: 2 }

/** Fixed minutes and days, counted in the key-value store so that all instances count together. Errors: too_many_requests. */
export function registerLimits(app: FastifyInstance, deps: Deps): void {
  const { config } = deps
  const enterShared = inFlight()
  app.addHook('onRequest', async (request, reply) => {
    const { publicRoute: route, limit: ofPage } = request.routeOptions.config
    const given = ofPage ?? route?.limit ?? (isChange(request.method) ? 'change' : 'none')
    const limit = typeof given === 'string' ? given : given(request.query as Record<string, unknown>)
    if (limit === 'drawn') await slotsUntilClosed(deps, [[DRAWN_AT_ONCE, personOf(request).uid]], reply)
    if (limit === 'none' || !config.rateLimits) return
    const address = callerNetwork(request, config)
    if (limit === 'shared') {
      const leave = enterShared(address, SHARED_AT_ONCE)
      if (!leave) throw new AppError('too_many_requests', { retryAfterSeconds: 1 })
      return void reply.raw.once('close', leave)
    }
    const counters = COUNTERS[limit].flatMap((counter) => {
      const who = counter.ofAddress ? address : request.caller?.uid
      return who === undefined ? [] : [{ ...counter, who }]
    })
    await count(deps, counters)
  })
}

async function count(
  { kv, clock }: Deps,
  counters: readonly (Counter & { readonly who: string })[],
): Promise<void> {
  const now = clock.now()
  const counted = await Promise.all(
    counters.map(async ({ name, most, windowMs, who }) => {
      const window = Math.floor(now / windowMs)
      const key = `limit:${name}:${who}:${window}`
      const isPast = (await kv.increment(key, 2 * windowMs)) > most
      return { key, windowMs, isPast, leftMs: (window + 1) * windowMs - now }
    }),
  )
  // the day also counts calls that the minute refuses at this moment, so the minute is asked first
  const past = counted.find(({ isPast }) => isPast)
  if (!past) return
  // a call that its minute refuses takes nothing of the day
  const days = counted.filter(({ windowMs }) => windowMs === DAY_MS)
  const takenBack = days.map(({ key, windowMs }) => kv.increment(key, 2 * windowMs, -1))
  await Promise.allSettled(takenBack)
  throw new AppError('too_many_requests', { retryAfterSeconds: Math.ceil(past.leftMs / 1000) })
}
