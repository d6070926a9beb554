import { serveAlone, systemClock } from '@prelude/platform'
import { createPayments, paymentsProgram } from './index.ts'

await serveAlone({
  program: paymentsProgram,
  env: process.env,
  clock: systemClock,
  make: ({ db, clock, logger, config: { publicUrl, paystackSecretKey, ...rest } }) => {
    const stripe = {
      secretKey: rest.stripeSecretKey,
      webhookSecret: rest.stripeWebhookSecret,
      apiUrl: rest.stripeApiUrl,
    }
    return {
      service: createPayments({ db, clock, logger, config: { publicUrl, paystackSecretKey, stripe } }),
    }
  },
})
