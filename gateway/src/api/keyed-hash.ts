import { createHmac, createSecretKey, hkdfSync } from 'node:crypto'
import type { GatewayConfig } from '../config.ts'

export type KeyedHash = (...parts: readonly (string | Buffer)[]) => string

/**
 * HMAC-SHA-256 with a key of its own for each purpose: what has few possible values (an address, a password) cannot be found
 * from its hash by trying them all. Derived from the secret that every instance of the gateway has and no other service.
 */
export function keyedHash(config: Pick<GatewayConfig, 'oidc'>, purpose: string): KeyedHash {
  const bytes = hkdfSync('sha256', config.oidc.clientSecret, '', `prelude ${purpose}`, 32)
  // made once: from bytes, Node would make such an object for each hash, which takes six times as long as the hash
  const key = createSecretKey(Buffer.from(bytes))
  return (...parts) => {
    const hmac = createHmac('sha256', key)
    for (const part of parts) hmac.update(part)
    return hmac.digest('base64url')
  }
}
