import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Where a running product can be reached; scripts and tests read it from `DATA_DIR/endpoints.json`. */
export interface Endpoints {
  readonly web: string
  readonly mailbox: string | null
  readonly identity: string | null
  readonly checkout: string | null
  /** Where several share the work: the public address of each alone. */
  readonly gateways?: readonly string[]
  /** Base addresses of the internal ports, without `/healthz`. */
  readonly health: Record<string, string>
  readonly operator: { readonly email: string; readonly password: string }
  readonly pid: number
}

const place = (dataDir: string): string => join(dataDir, 'endpoints.json')

export async function writeEndpoints(dataDir: string, endpoints: Endpoints): Promise<void> {
  await writeFile(`${place(dataDir)}.new`, JSON.stringify(endpoints, null, 2), { mode: 0o600 })
  await rename(`${place(dataDir)}.new`, place(dataDir))
}

export const removeEndpoints = (dataDir: string): Promise<void> => rm(place(dataDir), { force: true })
