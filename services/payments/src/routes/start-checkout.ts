import type { paymentsApi } from '@prelude/contracts'
import type { Clock, Database, RouteHandler } from '@prelude/platform'
import type { PaymentsMeasures } from '../measures.ts'
import { openCheckout } from '../open-checkout.ts'
import type { StripeProvider } from '../providers/stripe.ts'

/** Errors: too_many_checkouts, checkout_unavailable. */
export const startCheckout =
  (
    db: Database,
    clock: Clock,
    stripe: StripeProvider,
    measures: PaymentsMeasures,
  ): RouteHandler<typeof paymentsApi.startCheckout> =>
  ({ params: { id = '' }, body: { mostOpen, ...body } }) =>
    openCheckout(
      db,
      measures,
      {
        id,
        uid: body.uid,
        method: 'card',
        amountCents: body.amountCents,
        currency: 'USD',
        creditsCents: body.amountCents, // one dollar buys one credit (decision 1)
        livemode: stripe.livemode,
        createdAt: clock.now(),
      },
      mostOpen,
      ({ attempts }) =>
        stripe.openCheckout({
          ...body,
          paymentId: id,
          idempotencyKey: attempts === 0 ? id : `${id}:${attempts}`,
        }),
    )
