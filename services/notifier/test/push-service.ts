import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { Certificate } from '@prelude/platform'

/** What a browser got: its decrypted payload, and who the signature says has sent it. */
export interface Push {
  readonly payload: unknown
  readonly contact: string
  readonly ttl: number
  readonly topic: string
}

/** A browser's subscription, as `PushSubscription.toJSON()` gives it. */
interface Subscription {
  readonly endpoint: string
  readonly expirationTime: null
  readonly keys: { readonly p256dh: string; readonly auth: string }
}

export interface PushService {
  readonly url: string
  /** A browser subscribes with the product's public key; only pushes signed with it are taken. */
  subscribe(publicKey: string): { readonly subscription: Subscription; readonly received: Push[] }
  /** What the next requests are answered, one after the other; after them 201. */
  readonly answers: { status: number; headers?: Record<string, string> }[]
  /** The next requests are not answered before. */
  hold(until: Promise<void>): void
  /** Requests so far, also those that were answered with an error. */
  readonly requests: () => number
  stop(): Promise<void>
}

interface Browser {
  readonly publicKey: string
  readonly keys: ReturnType<typeof createECDH>
  readonly auth: Buffer
  readonly received: Push[]
}

/**
 * A push service (RFC 8030) with its browsers, in node:crypto alone. It refuses what browsers' push services refuse: 403 a
 * signature that is not of the subscription's key, for another origin or expired (RFC 8292); and it decrypts (RFC 8291).
 */
export async function startPushService(certificate: Certificate): Promise<PushService> {
  const browsers = new Map<string, Browser>()
  const answers: { status: number; headers?: Record<string, string> }[] = []
  let url = ''
  let requests = 0
  let held = Promise.resolve()
  const receive = async (request: IncomingMessage): Promise<{ status: number; headers?: object }> => {
    requests++
    const body = await buffer(request)
    await held
    const planned = answers.shift()
    if (planned) return planned
    const browser = browsers.get(request.url ?? '')
    if (!browser) return { status: 404 }
    const contact = contactOf(request.headers.authorization ?? '', { url, publicKey: browser.publicKey })
    if (contact === null) return { status: 403 }
    const { 'content-encoding': encoding, ttl, topic } = request.headers
    if (encoding !== 'aes128gcm' || ttl === undefined) return { status: 400 }
    const payload = JSON.parse(decrypt(body, browser)) as unknown
    browser.received.push({ payload, contact, ttl: Number(ttl), topic: String(topic) })
    return { status: 201 }
  }
  const server = createServer(certificate, (request, response) => {
    receive(request).then(
      ({ status, headers = {} }) => response.writeHead(status, { ...headers }).end('x'.repeat(100)),
      () => response.writeHead(400).end(),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `https://localhost:${(server.address() as AddressInfo).port}`
  return {
    url,
    answers,
    hold: (until) => void (held = until),
    requests: () => requests,
    subscribe: (publicKey) => {
      const keys = createECDH('prime256v1')
      const [p256dh, auth] = [keys.generateKeys(), randomBytes(16)]
      const [path, received] = [`/push/${randomBytes(16).toString('base64url')}`, [] as Push[]]
      browsers.set(path, { publicKey, keys, auth, received })
      const encoded = { p256dh: p256dh.toString('base64url'), auth: auth.toString('base64url') }
      return { subscription: { endpoint: url + path, expirationTime: null, keys: encoded }, received }
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** The sender's contact; null where the token is not signed with this key, for this origin, for a day at most. */
function contactOf(
  authorization: string,
  { url, publicKey }: { url: string; publicKey: string },
): string | null {
  const [, token = '', key = ''] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(authorization) ?? []
  if (key !== publicKey) return null
  const [head = '', claims = '', signature = ''] = token.split('.')
  const point = Buffer.from(key, 'base64url')
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString('base64url'))
  const jwk = { kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '' }
  const signer = { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' } as const
  const isSigned = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    signer,
    Buffer.from(signature, 'base64url'),
  )
  const parsed = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as unknown
  const { aud, exp, sub } = parsed(claims) as { aud: string; exp: number; sub: string }
  const seconds = exp - Date.now() / 1_000
  const isValid =
    (parsed(head) as { alg: string }).alg === 'ES256' && aud === url && seconds > 0 && seconds <= 86_400
  return isSigned && isValid ? sub : null
}

/** One record of aes128gcm (RFC 8188) with the key agreement of RFC 8291. */
function decrypt(body: Buffer, { keys, auth }: Browser): string {
  const salt = body.subarray(0, 16)
  const idLength = body[20] ?? 0
  const senderKey = body.subarray(21, 21 + idLength)
  const record = body.subarray(21 + idLength)
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), keys.getPublicKey(), senderKey])
  const derive = (secret: Uint8Array, by: Uint8Array, about: string | Buffer, length: number): Buffer =>
    Buffer.from(hkdfSync('sha256', secret, by, about, length))
  const shared = derive(keys.computeSecret(senderKey), auth, info, 32)
  const key = derive(shared, salt, 'Content-Encoding: aes128gcm\0', 16)
  const nonce = derive(shared, salt, 'Content-Encoding: nonce\0', 12)
  const decipher = createDecipheriv('aes-128-gcm', key, nonce)
  decipher.setAuthTag(record.subarray(-16))
  const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()])
  // after the text: 2 in the last record, then zeros
  return padded.subarray(0, padded.lastIndexOf(2)).toString('utf8')
}
