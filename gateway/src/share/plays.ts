import { createHmac, randomBytes } from 'node:crypto'
import type { Clock } from '@prelude/platform'
import type { FastifyRequest } from 'fastify'
import { callerNetwork } from '../api/caller-address.ts'
import type { SharesClient } from '../api/clients.ts'
import type { GatewayConfig } from '../config.ts'
import type { KeyValue } from '../api/key-value/port.ts'

type Deps = { clock: Clock; config: GatewayConfig; kv: KeyValue; shares: SharesClient }

const HOUR_MS = 60 * 60_000
const DAY_MS = 24 * HOUR_MS

/**
 * Counts the plays of links once an hour and address, over all instances. No address is kept: for an hour the store has its
 * HMAC, with a key that is drawn each day (UTC) and gone an hour after it, so that nothing can be computed from older ones.
 */
export function createPlays({ kv, clock, shares, config }: Deps) {
  const secretOfToday = async (): Promise<string> => {
    const key = `play-secret:${Math.floor(clock.now() / DAY_MS)}`
    const known = await kv.get(key)
    if (known !== null) return known
    const drawn = randomBytes(32).toString('base64url')
    return (await kv.setIfAbsent(key, drawn, DAY_MS + HOUR_MS)) ? drawn : ((await kv.get(key)) ?? drawn)
  }
  const count = async (shareId: string, address: string): Promise<void> => {
    const seen = createHmac('sha256', await secretOfToday())
      .update(`${shareId} ${address}`)
      .digest('base64url')
    if (await kv.setIfAbsent(`play:${seen}`, '1', HOUR_MS))
      await shares.countPlay({ params: { id: shareId } })
  }
  return {
    /** Does not hold up the audio, and a failure costs a play in a number only. */
    note: (request: FastifyRequest, shareId: string): void => {
      const address = callerNetwork(request, config)
      count(shareId, address).catch((error: unknown) =>
        request.log.warn({ err: error }, 'a play of a link was not counted'),
      )
    },
  }
}
