import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Addresses of a running product; scripts and tests read them from `DATA_DIR/endpoints.json`. */
export interface Endpoints {
  readonly web: string
  readonly mailbox: string | null
  readonly identity: string | null
  readonly checkout: string | null
  readonly generator: string | null
  /** With several gateways: the public address of each instance. */
  readonly gateways?: readonly string[]
  /** Base addresses of the internal ports, without `/healthz`. */
  readonly health: Record<string, string>
  readonly operator: { readonly email: string; readonly password: string }
  readonly pid: number
}

const endpointsFile = (dataDir: string): string => join(dataDir, 'endpoints.json')
/** Scrape targets for a Prometheus beside the product: infra/observability/prometheus/machine.yml. */
const targetsFile = (dataDir: string): string => join(dataDir, 'prometheus.json')

export async function writeEndpoints(dataDir: string, endpoints: Endpoints): Promise<void> {
  await replace(targetsFile(dataDir), targetsOf(endpoints))
  await replace(endpointsFile(dataDir), endpoints)
}

async function replace(file: string, content: unknown): Promise<void> {
  await writeFile(`${file}.new`, JSON.stringify(content, null, 2), { mode: 0o600 })
  await rename(`${file}.new`, file)
}

const targetsOf = ({ health }: Endpoints): { targets: string[]; labels: Record<string, string> }[] =>
  Object.entries(health).map(([service, address]) => ({
    targets: [new URL(address).host],
    labels: { service },
  }))

export async function removeEndpoints(dataDir: string): Promise<void> {
  for (const file of [endpointsFile(dataDir), targetsFile(dataDir)]) await rm(file, { force: true })
}
