import { AppError, type Clock } from '@prelude/platform'
import { Type } from 'typebox'
import { callerNetwork } from '../api/caller-address.ts'
import type { PaymentsClient } from '../api/clients.ts'
import { Header } from '../api/document/documentation.ts'
import { inFlight } from '../api/in-flight.ts'
import { readBody } from '../api/plugins/bodies.ts'
import { publicRoute, type PublicRoute } from '../api/public-route.ts'
import type { GatewayConfig } from '../config.ts'

type Deps = { clock: Clock; config: GatewayConfig; payments: PaymentsClient }

const SIGNATURES = { stripe: 'stripe-signature', paystack: 'x-paystack-signature' } as const
/** Events of the providers are far smaller. */
const MAX_WEBHOOK_BYTES = 256 * 1024
/** Anybody may send one, so those in flight are counted; a provider sends again what was refused. */
const MOST_OF_PROVIDER = 256
/** Whose body is being read: a provider sends it whole, so that few are read at any time. */
const MOST_UNREAD_OF_ADDRESS = 8

export const webhooks = (deps: Deps): PublicRoute[] => [webhook(deps, 'stripe'), webhook(deps, 'paystack')]

/** The raw bytes go to the payments service, which alone has the secret; no session, no rate limit. */
function webhook({ payments, clock, config }: Deps, provider: keyof typeof SIGNATURES): PublicRoute {
  const [all, unread] = [inFlight(), inFlight()]
  return publicRoute(`POST /api/webhooks/${provider}`, {
    access: 'anyone',
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
      counted(all(provider, MOST_OF_PROVIDER), async () => {
        // the alternate provider may be off: that is answered before anything is read
        if (provider === 'paystack') await payments.expectWebhook({ params: { provider } })
        const body = await counted(unread(callerNetwork(request, config), MOST_UNREAD_OF_ADDRESS), () =>
          readBody(request.raw, clock, MAX_WEBHOOK_BYTES),
        )
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
}

/** Errors: unavailable. */
async function counted<T>(leave: (() => void) | null, work: () => Promise<T>): Promise<T> {
  if (!leave) throw new AppError('unavailable')
  return work().finally(leave)
}
