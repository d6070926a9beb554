import { ALTERNATE_RATE, type paymentsApi } from '@prelude/contracts'
import { AppError, type Clock, type Database, type RouteHandler } from '@prelude/platform'
import type { PaymentsMeasures } from '../measures.ts'
import { openCheckout } from '../open-checkout.ts'
import type { PaystackProvider } from '../providers/paystack.ts'

/** Errors: alternate_provider_off, too_many_checkouts, checkout_unavailable. */
export const startAlternate =
  (
    db: Database,
    clock: Clock,
    paystack: PaystackProvider | null,
    measures: PaymentsMeasures,
  ): RouteHandler<typeof paymentsApi.startAlternate> =>
  async ({ params: { id = '' }, body: { uid, email, amountCents: creditsCents, mostOpen } }) => {
    if (paystack === null) throw new AppError('alternate_provider_off')
    const amountCents = creditsCents * ALTERNATE_RATE // kobo
    return openCheckout(
      db,
      measures,
      {
        id,
        uid,
        method: 'alternate',
        amountCents,
        currency: 'NGN',
        creditsCents,
        livemode: paystack.livemode,
        createdAt: clock.now(),
      },
      mostOpen,
      async ({ attempts }) => {
        // a reference can be used once, also when its answer was lost
        const reference = attempts === 0 ? id : `${id}-${attempts}`
        const { url } = await paystack.openCheckout({ reference, email, uid, amountCents })
        return { sessionId: reference, url }
      },
    )
  }
