import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'

/** What OWASP asks for: 128 MiB and a third of a second. */
const COST = { N: 2 ** 17, r: 8, p: 1 }
const KEY_BYTES = 32
const FORMAT = /^scrypt\$(\d{1,8})\$(\d{1,3})\$(\d{1,3})\$([A-Za-z0-9_-]{16,})\$([A-Za-z0-9_-]{20,})$/

export const isPasswordHash = (text: string): boolean => FORMAT.test(text)

/** `scrypt$N$r$p$salt$hash`, salt and hash in base64url: what OPERATOR_PASSWORD_HASH holds. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const hash = await derive(password, salt, COST, KEY_BYTES)
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64url'), hash.toString('base64url')].join('$')
}

/** In constant time for one hash. */
export async function isPassword(password: string, stored: string): Promise<boolean> {
  const [, N, r, p, salt, hash] = FORMAT.exec(stored) ?? []
  if (salt === undefined || hash === undefined) return false
  const expected = Buffer.from(hash, 'base64url')
  const cost = { N: Number(N), r: Number(r), p: Number(p) }
  const given = await derive(password, Buffer.from(salt, 'base64url'), cost, expected.length)
  return timingSafeEqual(given, expected)
}

const derive = (password: string, salt: Buffer, cost: typeof COST, bytes: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const maxmem = 256 * cost.N * cost.r
    scrypt(password, salt, bytes, { ...cost, maxmem }, (error, key) => (error ? reject(error) : resolve(key)))
  })
