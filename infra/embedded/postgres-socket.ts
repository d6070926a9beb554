import { join } from 'node:path'

/** The kernel's limit for a socket's path, without the terminating zero. */
const LONGEST_PATH = process.platform === 'linux' ? 107 : 103

/** Whether this process's path to the socket of the server in `cluster` is short enough; never on Windows. */
export const canHaveSocket = (cluster: string, port: number): boolean =>
  process.platform !== 'win32' && Buffer.byteLength(join(cluster, `.s.PGSQL.${port}`)) <= LONGEST_PATH

/** URL for node-postgres: `host` is the socket's folder and overrides the address; the port still names the file. */
export function overSocket(url: string, cluster: string): string {
  const local = new URL(url)
  local.searchParams.set('host', cluster)
  return local.href
}
