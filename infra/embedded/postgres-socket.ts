import { join } from 'node:path'

/** What the kernel leaves for a path, without the zero behind it. */
const LONGEST_PATH = process.platform === 'linux' ? 107 : 103

/** Whether our own way to the socket of the server in `cluster` is short enough; never on Windows. */
export const canHaveSocket = (cluster: string, port: number): boolean =>
  process.platform !== 'win32' && Buffer.byteLength(join(cluster, `.s.PGSQL.${port}`)) <= LONGEST_PATH

/** For node-postgres: `host` is the socket's folder and wins over the address, the port still names the file. */
export function overSocket(url: string, cluster: string): string {
  const local = new URL(url)
  local.searchParams.set('host', cluster)
  return local.href
}
