import { join } from 'node:path'
import { ConfigError, createLogger, integer, readConfig, text, url } from '@prelude/platform'
import { startCheckout } from './checkout/index.ts'
import { startGenerator } from './generator/index.ts'
import { startIdentity } from './identity/index.ts'
import { startMailbox } from './mailbox/index.ts'

/** `node infra/stand-ins/main.ts identity|checkout|mailbox|generator`: one stand-in as a process of its own, for containers. */

const HOST = '0.0.0.0'

const ANY = {
  port: { env: 'PORT', means: 'listening port', parse: integer(1, 65_535) },
  published: {
    env: 'PRODUCT_PUBLISHED_ON',
    means: 'address at which the product is published',
    parse: loopback,
  },
}

const COMMON = { ...ANY, dataDir: { env: 'DATA_DIR', means: 'folder of its data', parse: text } }

const CHECKOUT = {
  ...COMMON,
  publicUrl: { env: 'CHECKOUT_PUBLIC_URL', means: 'its URL for browsers', parse: url },
  secretKey: { env: 'STRIPE_SECRET_KEY', means: "the product's API key", parse: text },
  webhookSecret: { env: 'STRIPE_WEBHOOK_SECRET', means: 'signs webhooks', parse: text },
  webhookUrl: { env: 'WEBHOOK_URL', means: 'URL of the webhook', parse: url },
}

const IDENTITY = {
  ...COMMON,
  publicUrl: { env: 'IDENTITY_PUBLIC_URL', means: 'its URL for browsers', parse: url },
  clientId: { env: 'OIDC_CLIENT_ID', means: "the product's id", parse: text },
  clientSecret: { env: 'OIDC_CLIENT_SECRET', means: "the product's secret", parse: text },
  productUrl: { env: 'PUBLIC_URL', means: "the product's URL for browsers", parse: url },
}

const MAILBOX = {
  ...COMMON,
  smtpPort: { env: 'SMTP_PORT', means: 'SMTP port', parse: integer(1, 65_535) },
}

const GENERATOR = {
  ...ANY,
  key: { env: 'GENERATOR_KEY', means: "the product's API key", parse: text },
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
