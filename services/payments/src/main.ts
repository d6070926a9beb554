import { serveAlone } from '@prelude/platform'
import { createPayments, paymentsProgram } from './index.ts'

await serveAlone({
  program: paymentsProgram,
  env: process.env,
  make: ({ db, logger, config: { publicUrl, paystackSecretKey, ...rest } }) => {
    const stripe = {
      secretKey: rest.stripeSecretKey,
      webhookSecret: rest.stripeWebhookSecret,
      apiUrl: rest.stripeApiUrl,
    }
    return { service: createPayments({ db, logger, config: { publicUrl, paystackSecretKey, stripe } }) }
  },
})
