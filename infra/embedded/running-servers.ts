import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface RunningServers {
  readonly busUrl: string
  readonly kvUrl: string
  readonly blobsUrl: string
}

/** Where the servers of the stack are that runs in this folder; null when none does. */
export function runningServers(dataDir: string): RunningServers | null {
  const place = join(dataDir, 'servers.json')
  return existsSync(place) ? (JSON.parse(readFileSync(place, 'utf8')) as RunningServers) : null
}
