import { join } from 'node:path'
import { ConfigError, createLogger, integer, readConfig, setting, text, url } from '@prelude/platform'
import { startCheckout } from './checkout/index.ts'
import { startGenerator } from './generator/index.ts'
import { startIdentity } from './identity/index.ts'
import { startMailbox } from './mailbox/index.ts'

/** `node infra/stand-ins/main.ts identity|checkout|mailbox|generator`: one stand-in as a process of its own, for containers. */

const HOST = '0.0.0.0'

const ANY = {
  port: setting('PORT', 'listening port', integer(1, 65_535)),
  published: setting('PRODUCT_PUBLISHED_ON', 'address at which the product is published', loopback),
}

const COMMON = { ...ANY, dataDir: setting('DATA_DIR', 'folder of its data', text) }

const CHECKOUT = {
  ...COMMON,
  publicUrl: setting('CHECKOUT_PUBLIC_URL', 'its URL for browsers', url),
  secretKey: setting('STRIPE_SECRET_KEY', "the product's API key", text),
  webhookSecret: setting('STRIPE_WEBHOOK_SECRET', 'signs webhooks', text),
  webhookUrl: setting('WEBHOOK_URL', 'URL of the webhook', url),
}

const IDENTITY = {
  ...COMMON,
  publicUrl: setting('IDENTITY_PUBLIC_URL', 'its URL for browsers', url),
  clientId: setting('OIDC_CLIENT_ID', "the product's id", text),
  clientSecret: setting('OIDC_CLIENT_SECRET', "the product's secret", text),
  productUrl: setting('PUBLIC_URL', "the product's URL for browsers", url),
}

const MAILBOX = {
  ...COMMON,
  smtpPort: setting('SMTP_PORT', 'SMTP port', integer(1, 65_535)),
}

const GENERATOR = {
  ...ANY,
  key: setting('GENERATOR_KEY', "the product's API key", text),
}

/** Stand-ins authenticate nobody, so a product that uses one must not be reachable from other machines. */
function loopback(address: string): string {
  if (!['127.0.0.1', '[::1]', 'localhost'].includes(address))
    throw new Error(`must be 127.0.0.1 while stand-ins are in use; it is ${address}`)
  return address
}

const STARTS: Record<string, (env: NodeJS.ProcessEnv) => Promise<{ stop(): Promise<void> }>> = {
  identity: (env) => {
    const { port, dataDir, publicUrl, clientId, clientSecret, productUrl } = readConfig(IDENTITY, env)
    const redirectUris = [new URL('/api/auth/callback', productUrl).href]
    const client = { id: clientId, secret: clientSecret, redirectUris }
    return startIdentity({ host: HOST, port, dataDir, publicUrl: new URL(publicUrl).origin, client })
  },
  checkout: (env) => {
    const { dataDir, published: _, ...settings } = readConfig(CHECKOUT, env)
    const logger = createLogger({ service: 'checkout', level: 'info', pretty: false })
    return startCheckout({ ...settings, host: HOST, dataFile: join(dataDir, 'checkout.json'), logger })
  },
  mailbox: (env) => {
    const { port, smtpPort, dataDir } = readConfig(MAILBOX, env)
    return startMailbox({ host: HOST, httpPort: port, smtpPort, dataFile: join(dataDir, 'mailbox.jsonl') })
  },
  generator: (env) => {
    const { port, key } = readConfig(GENERATOR, env)
    return startGenerator({ host: HOST, port, key })
  },
}

const [name = ''] = process.argv.slice(2)
try {
  const start = STARTS[name]
  if (!start) throw new ConfigError(`Name one stand-in: ${Object.keys(STARTS).join(', ')}.`)
  const standIn = await start(process.env)
  const stop = (): void =>
    void standIn.stop().then(
      () => process.exit(0),
      () => process.exit(1),
    )
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
} catch (error) {
  process.stderr.write(`${error instanceof ConfigError ? error.message : String((error as Error).stack)}\n`)
  process.exit(1)
}
