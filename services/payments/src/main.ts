import { serveAlone } from '@prelude/platform'
import { paymentsSettings } from './config.ts'
import { createPayments } from './index.ts'

await serveAlone({
  service: 'payments',
  settings: paymentsSettings,
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
