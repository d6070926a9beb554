import { randomBytes } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Settings } from './settings.ts'
import { fileError } from './start-error.ts'

/** Secrets generated at the first start and kept in the data folder (0600) for later ones. */
export interface Secrets {
  readonly internal: string
  readonly databaseRoles: string
  /** Absent where OPERATOR_PASSWORD_HASH is set. */
  readonly operatorPassword?: string
  readonly stripeWebhook: string
  readonly stripeKey: string
  readonly oidcClient: string
  readonly generatorKey: string
}

const random = (): string => randomBytes(24).toString('base64url')

/** A password that is easy to type: four groups of four characters. */
const typeable = (): string =>
  Array.from({ length: 4 }, () =>
    Array.from(randomBytes(4), (byte) => 'abcdefghjkmnpqrstuvwxyz23456789'[byte % 31]).join(''),
  ).join('-')

export async function keptSecrets(
  dataDir: string,
  { operatorPasswordHash = null }: Partial<Pick<Settings, 'operatorPasswordHash'>> = {},
): Promise<Secrets> {
  const path = join(dataDir, 'secrets.json')
  const kept = await readFile(path, 'utf8')
    .then((content) => JSON.parse(content) as Partial<Secrets>)
    .catch((error: NodeJS.ErrnoException): Partial<Secrets> => {
      if (error.code === 'ENOENT') return {}
      throw fileError(error, path)
    })
  const { operatorPassword = typeable(), ...known } = kept
  const secrets: Secrets = {
    internal: random(),
    databaseRoles: random(),
    stripeWebhook: `whsec_${random()}`,
    stripeKey: `sk_test_${random()}`,
    oidcClient: random(),
    generatorKey: random(),
    ...known,
    ...(operatorPasswordHash === null && { operatorPassword }),
  }
  if (Object.keys(kept).length === Object.keys(secrets).length) return secrets
  try {
    await writeFile(`${path}.new`, JSON.stringify(secrets, null, 2), { mode: 0o600 })
    await rename(`${path}.new`, path)
  } catch (error) {
    throw fileError(error, dataDir)
  }
  return secrets
}
