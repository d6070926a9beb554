import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { testLogger } from '@prelude/platform/testing'
import { Stripe } from 'stripe'
import { eventually } from '@prelude/platform/eventually'
import { startCheckout } from '../../stand-ins/checkout/index.ts'

export const WEBHOOK_SECRET = 'whsec_sandbox'

interface Receiver extends AsyncDisposable {
  readonly url: string
  /** Accepted events, with verified signatures. */
  readonly events: Stripe.Event[]
  /** The number of deliveries that it refuses from now on. */
  toRefuse: number
  /** Waits for exactly these types, in order. */
  expectTypes(types: readonly string[]): Promise<void>
}

/** A fake of the product's webhook. */
async function receiver(): Promise<Receiver> {
  const events: Stripe.Event[] = []
  const take = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const signature = String(req.headers['stripe-signature'])
    const event = Stripe.webhooks.constructEvent(await text(req), signature, WEBHOOK_SECRET)
    const isRefused = receiving.toRefuse-- > 0
    if (!isRefused) events.push(event)
    res.writeHead(isRefused ? 503 : 200).end()
  }
  const server = createServer((req, res) => void take(req, res))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const receiving: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/webhooks/stripe`,
    events,
    toRefuse: 0,
    expectTypes: async (types) => {
      await eventually(() => {
        const seen = events.map(({ type }) => type)
        if (seen.join() !== types.join()) throw new Error(`seen: ${seen.join()}`)
      })
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return receiving
}

interface Sandbox extends AsyncDisposable {
  readonly url: string
  readonly secretKey: string
  readonly webhook: Receiver
  /** The official SDK with the sandbox's address. */
  readonly stripe: Stripe
  /** An open session of 25 dollars. */
  open(over?: Partial<Stripe.Checkout.SessionCreateParams>): Promise<Stripe.Checkout.Session>
  /** Presses a button of the hosted page. */
  press(
    session: Stripe.Checkout.Session,
    outcome: string,
  ): Promise<{ status: number; location: string | null; html: string }>
  /** Calls the control API; answers the status. */
  control(path: string, body?: unknown): Promise<number>
  /** Stops it, and starts it again on the same data. */
  restart(): Promise<void>
}

export const ORDER: Stripe.Checkout.SessionCreateParams = {
  mode: 'payment',
  client_reference_id: 'payment-1',
  customer_email: 'ada@example.com',
  line_items: [
    {
      quantity: 1,
      price_data: { currency: 'usd', unit_amount: 2500, product_data: { name: '25 song credits' } },
    },
  ],
  metadata: { userId: 'u1', amount: '25', myamount: '25' },
  payment_intent_data: { metadata: { paymentId: 'payment-1' } },
  success_url: 'http://localhost:8080/payment-success?session_id={CHECKOUT_SESSION_ID}',
  cancel_url: 'http://localhost:8080/payment-failed',
}

export async function startSandbox(): Promise<Sandbox> {
  const folder = await mkdtemp(join(tmpdir(), 'checkout-'))
  const webhook = await receiver()
  const start = (at: number) =>
    startCheckout({
      port: at,
      dataFile: join(folder, 'checkout.json'),
      webhookSecret: WEBHOOK_SECRET,
      webhookUrl: webhook.url,
      logger: testLogger(),
    })
  let running = await start(0)
  const { url, secretKey } = running
  const { hostname: host, port } = new URL(url)
  const stripe = new Stripe(secretKey, {
    host,
    port,
    protocol: 'http',
    maxNetworkRetries: 0,
    telemetry: false,
  })
  return {
    url,
    secretKey,
    webhook,
    stripe,
    open: (over) => stripe.checkout.sessions.create({ ...ORDER, ...over }),
    press: async (session, outcome) => {
      const response = await fetch(`${url}/c/pay/${session.id}`, {
        method: 'POST',
        body: new URLSearchParams({ outcome }),
        redirect: 'manual',
      })
      const { status, headers } = response
      return { status, location: headers.get('location'), html: await response.text() }
    },
    control: async (path, body) => {
      const json =
        body === undefined
          ? {}
          : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
      const response = await fetch(`${url}/control/${path}`, { method: 'POST', ...json })
      await response.body?.cancel()
      return response.status
    },
    restart: async () => {
      await running.stop()
      running = await start(Number(port))
    },
    [Symbol.asyncDispose]: async () => {
      await running.stop()
      await webhook[Symbol.asyncDispose]()
      await rm(folder, { recursive: true })
    },
  }
}
