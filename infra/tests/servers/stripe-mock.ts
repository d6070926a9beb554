import { findGoProgram, type GoProgram } from './installed.ts'
import {
  acceptsConnections,
  freePort,
  type NativeOptions,
  type NativeServer,
  startProcess,
} from './server-process.ts'

/** stripe-mock, with which Stripe tests its own SDKs. */
export const STRIPE_MOCK: GoProgram = {
  name: 'stripe-mock',
  from: 'github.com/stripe/stripe-mock',
  version: 'v0.203.0',
}

/** Errors: ServerMissing. */
export const findStripeMock = (): Promise<string> => findGoProgram(STRIPE_MOCK)

/** Starts stripe-mock: it validates requests by Stripe's OpenAPI document and answers with examples; it keeps no state. */
export async function startStripeMock({ dir, port }: NativeOptions): Promise<NativeServer> {
  const command = await findStripeMock()
  const own = port ?? (await freePort())
  const url = `http://127.0.0.1:${own}`
  const server = await startProcess({
    name: 'stripe-mock',
    dir,
    command,
    args: ['-http-addr', `127.0.0.1:${own}`],
    healthy: () => acceptsConnections(own),
  })
  return { ...server, port: own, url }
}
