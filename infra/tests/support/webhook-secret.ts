/** `STRIPE_WEBHOOK_SECRET` of products whose tests sign webhooks themselves. */
export const webhookSecret = 'whsec_of_a_test'
