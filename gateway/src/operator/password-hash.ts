import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'

/** As OWASP recommends: 128 MiB and a few tenths of a second each. */
const COST = { N: 2 ** 17, r: 8, p: 1 }
const SHORTEST = 12
const KEY_BYTES = 32
const FORMAT = /^scrypt\$(\d{1,8})\$(\d{1,3})\$(\d{1,3})\$([A-Za-z0-9_-]{16,})\$([A-Za-z0-9_-]{20,})$/

/** The setting OPERATOR_PASSWORD_HASH. Throws with a short reason. */
export function passwordHash(text: string): string {
  const [, N, r] = FORMAT.exec(text) ?? []
  if (N === undefined) throw new Error('must look like scrypt$N$r$p$salt$hash')
  if (Number(N) < COST.N || Number(r) < COST.r)
    throw new Error(`must be of scrypt with N of ${COST.N} and r of ${COST.r} at least`)
  return text
}

/** The setting OPERATOR_PASSWORD. Throws with a short reason. */
export function operatorPassword(text: string): string {
  if (text.length < SHORTEST) throw new Error(`must have ${SHORTEST} characters at least`)
  return text
}

/** `scrypt$N$r$p$salt$hash`, salt and hash in base64url: what OPERATOR_PASSWORD_HASH holds. */
export async function hashPassword(password: string, cost = COST): Promise<string> {
  const salt = randomBytes(16)
  const hash = await derive(password, salt, cost, KEY_BYTES)
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), hash.toString('base64url')].join('$')
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

/** One after the other, since each takes so much memory. */
let last: Promise<unknown> = Promise.resolve()
function derive(password: string, salt: Buffer, cost: typeof COST, bytes: number): Promise<Buffer> {
  const derived = last.then(() => deriveNow(password, salt, cost, bytes))
  last = derived.catch(() => {})
  return derived
}

const deriveNow = (password: string, salt: Buffer, cost: typeof COST, bytes: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const maxmem = 256 * cost.N * cost.r
    scrypt(password, salt, bytes, { ...cost, maxmem }, (error, key) => (error ? reject(error) : resolve(key)))
  })
