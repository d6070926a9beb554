import {
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  diffieHellman,
  hkdfSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'
import { promisify } from 'node:util'
import { SERVICE_NAMES, type ServiceName } from '@prelude/contracts'

/**
 * How services prove who they are to each other. Each holds one secret of its own, from which its two key pairs are derived,
 * and the public keys of all: X25519 for calls (two services agree on a key that no third one can compute), Ed25519 for
 * events (one service signs, all others can only verify). See decision 28.
 */
export interface Identity {
  readonly service: ServiceName
  /** The keys shared with another service: one for each of its public keys. */
  callKeys(other: ServiceName): readonly KeyObject[]
  sign(content: Buffer): Promise<Buffer>
  isSignedBy(service: ServiceName, content: Buffer, signature: Buffer): Promise<boolean>
}

interface PublicKey {
  readonly service: ServiceName
  readonly x25519: KeyObject
  readonly ed25519: KeyObject
}

/** A service may have several, while its secret is being changed. */
type PublicKeys = readonly PublicKey[]

const KEY_BYTES = 32
/** In the thread pool: a batch of events is many of them. */
const [signWith, verifyWith] = [promisify(sign), promisify(verify)]
/** What precedes the 32 bytes of a private key in its PKCS #8 form (RFC 8410). */
const PKCS8 = { x25519: '302e020100300506032b656e04220420', ed25519: '302e020100300506032b657004220420' }
type Curve = keyof typeof PKCS8

export function createIdentity(service: ServiceName, secret: string, publicKeys: PublicKeys): Identity {
  const agreement = privateKey('x25519', service, secret)
  const signing = privateKey('ed25519', service, secret)
  const keysOf = (other: ServiceName): PublicKeys => publicKeys.filter((key) => key.service === other)
  const shared = new Map<ServiceName, readonly KeyObject[]>()
  return {
    service,
    callKeys: (other) => {
      const known = shared.get(other)
      if (known) return known
      const made = keysOf(other).map(({ x25519 }) =>
        createSecretKey(derive(diffieHellman({ privateKey: agreement, publicKey: x25519 }), 'prelude call')),
      )
      shared.set(other, made)
      return made
    },
    sign: (content) => signWith(null, content, signing),
    isSignedBy: async (other, content, signature) => {
      for (const { ed25519 } of keysOf(other))
        if (await verifyWith(null, content, ed25519, signature)) return true
      return false
    },
  }
}

/** One entry of INTERNAL_PUBLIC_KEYS: `songs=` and both public keys in base64url. */
export function publicKeyOf(service: ServiceName, secret: string): string {
  const raw = (['x25519', 'ed25519'] as const).map((curve) => {
    const { x = '' } = createPublicKey(privateKey(curve, service, secret)).export({ format: 'jwk' })
    return Buffer.from(x, 'base64url')
  })
  return `${service}=${Buffer.concat(raw).toString('base64url')}`
}

/** INTERNAL_PUBLIC_KEYS: entries of all services, separated by commas. Throws with a short reason. */
export function readPublicKeys(text: string): PublicKeys {
  const keys = text.split(',').map((entry): PublicKey => {
    const [, name, key = ''] = /^\s*([a-z]+)=([\w-]+)\s*$/.exec(entry) ?? []
    const service = SERVICE_NAMES.find((one) => one === name)
    const raw = Buffer.from(key, 'base64url')
    if (service === undefined || raw.length !== 2 * KEY_BYTES)
      throw new Error('must be service=key[,service=key], as infra/prepare/keys.ts prints them')
    return {
      service,
      x25519: publicKey('X25519', raw.subarray(0, KEY_BYTES)),
      ed25519: publicKey('Ed25519', raw.subarray(KEY_BYTES)),
    }
  })
  const missing = SERVICE_NAMES.filter((name) => !keys.some(({ service }) => service === name))
  if (missing.length > 0) throw new Error(`lacks ${missing.join(', ')}`)
  return keys
}

/** The secret of one service, where one place holds those of all. */
export const secretOf = (service: ServiceName, master: string): string =>
  derive(Buffer.from(master), `prelude secret ${service}`).toString('base64url')

/** INTERNAL_PUBLIC_KEYS of services whose secrets come from one master secret. */
export const publicKeysFrom = (master: string): string =>
  SERVICE_NAMES.map((service) => publicKeyOf(service, secretOf(service, master))).join(',')

/** Every service's identity, where all run in one process. */
export function identitiesFrom(master: string): (service: ServiceName) => Identity {
  const publicKeys = readPublicKeys(publicKeysFrom(master))
  return (service) => createIdentity(service, secretOf(service, master), publicKeys)
}

const derive = (secret: Buffer, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', purpose, KEY_BYTES))

function privateKey(curve: Curve, service: ServiceName, secret: string): KeyObject {
  const seed = derive(Buffer.from(secret), `prelude ${curve} ${service}`)
  const key = Buffer.concat([Buffer.from(PKCS8[curve], 'hex'), seed])
  return createPrivateKey({ key, format: 'der', type: 'pkcs8' })
}

const publicKey = (crv: 'X25519' | 'Ed25519', raw: Buffer): KeyObject =>
  createPublicKey({ key: { kty: 'OKP', crv, x: raw.toString('base64url') }, format: 'jwk' })
