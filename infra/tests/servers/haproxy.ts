import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { findProgram } from './installed.ts'
import { answersOk, freePort, type NativeOptions, type NativeServer, startProcess } from './server-process.ts'

const SETTINGS = resolve(import.meta.dirname, '../../haproxy/haproxy.cfg')

/** Errors: ServerMissing. */
export const findHaproxy = (): void => findProgram('haproxy')

/** Ports of this machine. */
export interface Gateway {
  readonly publicPort: number
  readonly internalPort: number
}

/** Starts the load balancer of the containers with its settings there, but with gateways by port instead of by name. */
export async function startHaproxy({
  dir,
  port,
  gateways,
  env = {},
}: NativeOptions & {
  readonly gateways: readonly Gateway[]
  readonly env?: Record<string, string>
}): Promise<NativeServer> {
  findHaproxy()
  const own = port ?? (await freePort())
  const url = `http://127.0.0.1:${own}`
  const settings = (await readFile(SETTINGS, 'utf8'))
    .replace('bind :8080', `bind 127.0.0.1:${own}`)
    .replace(/^ +server-template .* check port 9000(.*)$/gm, (_, how: string) =>
      gateways
        .map(
          (one, n) => `  server gateway${n} 127.0.0.1:${one.publicPort} check port ${one.internalPort}${how}`,
        )
        .join('\n'),
    )
  await mkdir(dir, { recursive: true })
  const config = join(dir, 'haproxy.cfg')
  await writeFile(config, settings)
  const server = await startProcess({
    name: 'haproxy',
    dir,
    command: 'haproxy',
    args: ['-f', config],
    env: {
      TRUSTED_PROXY_HOPS: '0',
      CONNECTIONS_PER_ADDRESS: '100',
      TRUSTED_COUNTRY_HEADER: 'x-no-country',
      NAME_SERVER: '127.0.0.1:53',
      GATEWAYS: '',
      ...env,
    },
    healthy: () => answersOk(`${url}/healthz`),
  })
  return { ...server, port: own, url }
}
