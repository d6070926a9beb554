import { generateKeyPairSync, type JsonWebKey, randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface Keys {
  /** Private, RS256: signs id tokens. */
  readonly signing: JsonWebKey
  readonly cookies: string[]
}

/** Keys generated at the first start and kept, so that tokens and cookies survive a restart. Only the owner can read the file. */
export async function keptKeys(dataDir: string): Promise<Keys> {
  const file = join(dataDir, 'keys.json')
  const kept = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (kept !== null) return JSON.parse(kept) as Keys
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const signing = { ...privateKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig' }
  const keys: Keys = { signing, cookies: [randomBytes(32).toString('base64url')] }
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  await writeFile(`${file}.new`, JSON.stringify(keys), { mode: 0o600 })
  await rename(`${file}.new`, file)
  return keys
}
