import { AppError } from '@prelude/platform'
import { Type } from 'typebox'
import { readBody } from '../plugins/bodies.ts'
import type { RouteDeps } from '../route-deps.ts'
import { Header } from '../document/documentation.ts'
import { type PublicRoute, publicRoute } from '../public-route.ts'

const SIGNATURES = { stripe: 'stripe-signature', paystack: 'x-paystack-signature' } as const
/** Events of the providers are far smaller. */
const MAX_WEBHOOK_BYTES = 256 * 1024
/** Anybody may send one, so their memory is limited by number too; a provider sends again what was refused. */
const MAX_CONCURRENT = 256

export function webhooks(deps: RouteDeps): PublicRoute[] {
  let running = 0
  const limited = async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= MAX_CONCURRENT) throw new AppError('unavailable')
    running++
    try {
      return await work()
    } finally {
      running--
    }
  }
  return [webhook(deps, 'stripe', limited), webhook(deps, 'paystack', limited)]
}

/** The raw bytes go to the payments service, which alone has the secret; no session, no rate limit. */
const webhook = (
  { payments, clock }: RouteDeps,
  provider: keyof typeof SIGNATURES,
  limited: <T>(work: () => Promise<T>) => Promise<T>,
): PublicRoute =>
  publicRoute({
    method: 'POST',
    url: `/api/webhooks/${provider}`,
    access: 'anyone',
    area: 'Payments',
    summary: `Events of ${provider}; 200 once stored`,
    refusals: ['bad_signature', 'malformed_json', 'body_too_large', 'request_timeout'],
    limit: 'none',
    body: 'stream',
    document: {
      headers: Type.Object({ [SIGNATURES[provider]]: Header('of the very bytes of the body') }),
      bodies: { 'application/json': Type.Object({}, { description: "the provider's event" }) },
    },
    reply: Type.Object({}),
    handle: ({ request }) =>
      limited(async () => {
        const body = await readBody(request.raw, clock, MAX_WEBHOOK_BYTES)
        const signature = request.headers[SIGNATURES[provider]]
        return payments.receiveWebhook({
          params: { provider },
          body: {
            payload: body.toString('base64'),
            signature: typeof signature === 'string' ? signature : '',
          },
        })
      }),
  })
