import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface RunningServers {
  readonly busUrl: string
  readonly kvUrl: string
  readonly blobsUrl: string
}

/** Addresses of the servers of the stack that runs in this folder; null when none runs. */
export function runningServers(dataDir: string): RunningServers | null {
  const file = join(dataDir, 'servers.json')
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as RunningServers) : null
}
