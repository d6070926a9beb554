import { lookup } from 'node:dns'
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { request } from 'node:https'
import type { LookupFunction } from 'node:net'
import webPush from 'web-push'
import { isAllowedAddress, isAllowedPort, literalAddress } from './domain/push-address.ts'
import type { PushSubscription, VapidKeys } from './store/push.ts'

const TIMEOUT_MS = 10_000
/** How long a push service keeps a message for a browser that is off. */
const TTL_SECONDS = 24 * 60 * 60

/**
 * `gone`: the browser has ended its subscription, or its key is none. `refused`: the same message would be refused again.
 * `unauthorized`: our signature is refused, as of another key than the subscription's, or by a clock that is off.
 */
type PushOutcome = 'sent' | 'gone' | 'refused' | 'unauthorized' | 'later'

interface Pushed {
  readonly outcome: PushOutcome
  /** What the push service answered, for the log. */
  readonly reason: string
  /** Not before then, if the push service says so. */
  readonly retryAfterMs?: number
}

export type PushSender = (
  subscription: PushSubscription,
  message: { payload: object; topic: string },
  keys: VapidKeys,
) => Promise<Pushed>

/**
 * Encrypts a message for a browser (RFC 8291), signs it (RFC 8292) and sends it to the browser's push service: one request
 * without redirects, whose answer is not read beyond its headers. `contact` is a mailto: address. Never rejects.
 */
export const pushSender =
  ({ contact, loopback }: { contact: string; loopback: boolean }): PushSender =>
  async (subscription, message, keys) => {
    let prepared: ReturnType<typeof webPush.generateRequestDetails>
    try {
      prepared = prepare(subscription, message, { subject: contact, ...keys })
    } catch (error) {
      // the browser's key is no point of the curve
      return { outcome: 'gone', reason: nameOf(error) }
    }
    try {
      const answer = await post(new URL(subscription.endpoint), { ...prepared, loopback })
      answer.destroy()
      return outcomeOf(answer)
    } catch (error) {
      return { outcome: error instanceof NotPublic ? 'refused' : 'later', reason: nameOf(error) }
    }
  }

const prepare = (
  { endpoint, p256dh, auth }: PushSubscription,
  { payload, topic }: { payload: object; topic: string },
  vapidDetails: { subject: string } & VapidKeys,
) =>
  webPush.generateRequestDetails({ endpoint, keys: { p256dh, auth } }, JSON.stringify(payload), {
    vapidDetails,
    TTL: TTL_SECONDS,
    topic,
  })

/** For logs: no address, since it is the browser's own secret. */
const nameOf = (error: unknown): string => {
  const { code, name } = error as NodeJS.ErrnoException
  return code ?? name
}

function outcomeOf({ statusCode: status = 0, headers }: IncomingMessage): Pushed {
  const reason = String(status)
  if (status >= 200 && status < 300) return { outcome: 'sent', reason }
  if (status === 404 || status === 410) return { outcome: 'gone', reason }
  if (status === 401 || status === 403) return { outcome: 'unauthorized', reason }
  if (status !== 429 && status < 500) return { outcome: 'refused', reason }
  const seconds = Number(headers['retry-after'])
  return { outcome: 'later', reason, ...(seconds > 0 && { retryAfterMs: seconds * 1_000 }) }
}

class NotPublic extends Error {
  override readonly name = 'NotPublic'
}

/** Resolves to the answer's headers. */
function post(
  url: URL,
  sent: { headers: OutgoingHttpHeaders; body: Buffer | null; loopback: boolean },
): Promise<IncomingMessage> {
  const { headers, body, loopback } = sent
  if (!isAllowedPort(url, { loopback })) return Promise.reject(new NotPublic())
  const address = literalAddress(url)
  if (address !== null && !isAllowedAddress(address, { loopback })) return Promise.reject(new NotPublic())
  return new Promise((resolve, reject) => {
    const options = {
      method: 'POST',
      headers,
      lookup: publicLookup(loopback),
      agent: false,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    } as const
    request(url, options, resolve).on('error', reject).end(body)
  })
}

/** The resolver of the connection itself, so that no second resolution can answer another address. */
const publicLookup =
  (loopback: boolean): LookupFunction =>
  (hostname, options, answer) =>
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? []
      if (error || !first) return answer(error ?? new NotPublic(), [])
      if (!addresses.every(({ address }) => isAllowedAddress(address, { loopback })))
        return answer(new NotPublic(), [])
      if (options.all) answer(null, addresses)
      else answer(null, first.address, first.family)
    })
