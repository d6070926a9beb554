import type { AddressInfo } from 'node:net'
import Fastify, { type FastifyBaseLogger } from 'fastify'
import type { Logger } from '@prelude/platform'
import { addressOf } from '../http-server.ts'
import { registerApi } from './api.ts'
import { registerControl } from './control.ts'
import { registerDesk } from './desk.ts'
import { createEngine } from './engine.ts'
import { drawId } from './objects.ts'
import { registerPages } from './pages.ts'
import { openStore, type Store } from './store.ts'
import { createWebhooks } from './webhooks.ts'
import { wires } from './wire.ts'

interface CheckoutOptions {
  /** 0: any free port. */
  readonly port: number
  readonly host?: string
  /** File of all state; survives restarts and kills. */
  readonly dataFile: string
  /** Default: generated at the first start and kept. */
  readonly secretKey?: string
  readonly webhookSecret: string
  readonly webhookUrl: string
  /** URL for browsers, when it differs from the listening address. */
  readonly publicUrl?: string
  readonly logger: Logger
  /** ms since the epoch */
  readonly clock?: () => number
}

export interface Checkout {
  readonly url: string
  readonly secretKey: string
  stop(): Promise<void>
}

const EXPIRY_CHECK_MS = 30_000

/** Starts the stand-in for Stripe: the API routes that the product uses, the hosted page, signed webhooks, and a control API. */
export async function startCheckout(options: CheckoutOptions): Promise<Checkout> {
  const { host = '127.0.0.1', port, logger, clock = Date.now } = options
  const store = await openStore(options.dataFile, clock())
  const secretKey = options.secretKey ?? (await keptKey(store))
  let publicUrl = options.publicUrl ?? ''
  const webhooks = createWebhooks({
    store,
    url: options.webhookUrl,
    secret: options.webhookSecret,
    clock,
    logger,
  })
  const engine = createEngine({ store, wires: wires(store, () => publicUrl), webhooks, clock })

  const app = Fastify({
    // Fastify logs every request at level info
    loggerInstance: logger.child({}, { level: 'warn' }) as unknown as FastifyBaseLogger,
    forceCloseConnections: true,
  })
  // bodies are read as text: forms by Stripe's rules, and JSON, which may be missing
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body))
  await app.register(async (scope) => registerApi(scope, engine, secretKey), { prefix: '/v1' })
  await app.register(async (scope) => registerControl(scope, engine), { prefix: '/control' })
  await app.register(async (scope) => registerDesk(scope, engine))
  await app.register(async (scope) => registerPages(scope, engine))

  const expiry = setInterval(() => {
    engine.expireDue().catch((error: unknown) => logger.error({ err: error }, 'expiring checkouts failed'))
  }, EXPIRY_CHECK_MS)
  const stop = async (): Promise<void> => {
    clearInterval(expiry)
    await app.close()
    await webhooks.stop()
    await store.close()
  }
  try {
    await app.listen({ host, port })
  } catch (error) {
    await stop()
    throw error
  }
  const url = addressOf(host, (app.server.address() as AddressInfo).port)
  publicUrl ||= url
  return { url, secretKey, stop }
}

async function keptKey(store: Store): Promise<string> {
  const kept = store.get('setting', 'secretKey')
  if (kept !== undefined) return kept
  const drawn = drawId('sk_test')
  await store.commit([['setting', 'secretKey', drawn]])
  return drawn
}
