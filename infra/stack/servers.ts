import type { Logger } from '@prelude/platform'
import { join } from 'node:path'
import { findKafka, startKafka } from '../tests/servers/kafka.ts'
import { startPostgresServer } from '../tests/servers/postgres.ts'
import { findRedis, startRedis } from '../tests/servers/redis.ts'
import { findS3, startS3 } from '../tests/servers/s3.ts'
import { freePort } from '../tests/servers/server-process.ts'
import { type Link, startLink } from './link.ts'
import { type Supervised, supervise } from './supervise.ts'

export type ServerName = 'postgres' | 'kafka' | 'redis' | 's3'

export interface Servers {
  readonly programs: Readonly<Record<ServerName, Supervised>>
  /** The link in front of each server, with `withLinks`. */
  readonly links: Partial<Record<ServerName, Link>>
  /** Of the database's owner; never through a link. */
  readonly adminUrl: string
  /** Addresses for services, through the links. */
  readonly databaseUrl: string
  readonly busUrl: string
  readonly kvUrl: string
  readonly blobsUrl: string
}

/** Finds the servers on this machine; PostgreSQL comes with npm. Errors: ServerMissing. */
export async function findServers(): Promise<void> {
  findRedis()
  await Promise.all([findKafka(), findS3()])
}

interface Address {
  readonly dir: string
  readonly port: number
  /** The port for clients: the link's, where there is one. */
  readonly clientPort: number
}

/** Starts the real servers, each supervised, with its data and log in a folder of its own below `dir`. Errors: ServerMissing. */
export async function startServers(
  dir: string,
  options: { withLinks: boolean; logger: Logger },
): Promise<Servers> {
  const { logger } = options
  const links: Partial<Record<ServerName, Link>> = {}
  const addressFor = async (name: ServerName): Promise<Address> => {
    const port = await freePort()
    if (options.withLinks) links[name] = await startLink([{ port }])
    return { dir: join(dir, name), port, clientPort: links[name]?.port ?? port }
  }
  const [postgres, kafka, redis, s3] = [
    await addressFor('postgres'),
    await addressFor('kafka'),
    await addressFor('redis'),
    await addressFor('s3'),
  ]
  const keys = { accessKey: 'prelude', secretKey: 'test-store-secret' }
  const urls: Partial<Record<ServerName, string>> = {}
  const start = (name: ServerName, startOnce: () => ReturnType<typeof startRedis>): Promise<Supervised> =>
    supervise(
      name,
      async () => {
        const server = await startOnce()
        urls[name] = server.url
        return server
      },
      logger,
    )
  const starts = await Promise.allSettled([
    start('postgres', () => startPostgresServer({ ...postgres, logger })),
    start('kafka', () => startKafka({ ...kafka, advertisedPort: kafka.clientPort })),
    start('redis', () => startRedis(redis)),
    start('s3', () => startS3({ ...s3, ...keys })),
  ])
  const failed = starts.find((result) => result.status === 'rejected')
  const running = starts.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  if (failed) {
    await Promise.all([...running.map((one) => one.stop()), ...Object.values(links).map((l) => l.close())])
    throw failed.reason as Error
  }
  const urlFor = (name: ServerName, { clientPort }: Address): string => {
    const url = new URL(urls[name] ?? '')
    url.port = String(clientPort)
    return url.href
  }
  return {
    programs: Object.fromEntries(running.map((one) => [one.name, one])) as Servers['programs'],
    links,
    adminUrl: urls.postgres ?? '',
    databaseUrl: urlFor('postgres', postgres),
    busUrl: urlFor('kafka', kafka),
    kvUrl: urlFor('redis', redis),
    blobsUrl: urlFor('s3', s3),
  }
}
