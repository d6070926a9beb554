import { Type } from 'typebox'
import { MAX_BODY_BYTES, readBody } from '../plugins/bodies.ts'
import type { RouteDeps } from '../route-deps.ts'
import { Header } from '../document/documentation.ts'
import { type PublicRoute, publicRoute } from '../public-route.ts'

const SIGNATURES = { stripe: 'stripe-signature', paystack: 'x-paystack-signature' } as const

/** The raw bytes go to the payments service, which alone has the secret; no session, no rate limit. */
export const webhook = ({ payments }: RouteDeps, provider: keyof typeof SIGNATURES): PublicRoute =>
  publicRoute({
    method: 'POST',
    url: `/api/webhooks/${provider}`,
    access: 'anyone',
    area: 'Payments',
    summary: `Events of ${provider}; 200 once stored`,
    refusals: ['bad_signature', 'malformed_json', 'body_too_large'],
    limit: 'none',
    body: 'stream',
    document: {
      headers: Type.Object({ [SIGNATURES[provider]]: Header('of the very bytes of the body') }),
      bodies: { 'application/json': Type.Object({}, { description: "the provider's event" }) },
    },
    reply: Type.Object({}),
    handle: async ({ request }) => {
      const body = await readBody(request.raw, MAX_BODY_BYTES)
      const signature = request.headers[SIGNATURES[provider]]
      return payments.receiveWebhook({
        params: { provider },
        body: {
          payload: body.toString('base64'),
          signature: typeof signature === 'string' ? signature : '',
        },
      })
    },
  })
