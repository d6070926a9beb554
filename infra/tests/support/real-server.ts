import { rm } from 'node:fs/promises'
import { findKafka, startKafka } from '../servers/kafka.ts'
import { startPostgresServer } from '../servers/postgres.ts'
import { findRedis, startRedis } from '../servers/redis.ts'
import { findS3, startS3 } from '../servers/s3.ts'
import { ServerMissing } from '../servers/server-missing.ts'
import type { NativeOptions, NativeServer } from '../servers/server-process.ts'
import { findStripeMock, startStripeMock } from '../servers/stripe-mock.ts'
import { containerFor } from './container-server.ts'
import { folderFor, type RealServer, removeLeftOver, S3_KEYS, type ServerName } from './server-data.ts'

const NATIVE: Record<
  ServerName,
  { find: () => unknown; start: (options: NativeOptions) => Promise<NativeServer> }
> = {
  PostgreSQL: {
    find: () => {}, // it comes with npm
    start: (options) => startPostgresServer({ ...options, durable: false }),
  },
  Kafka: { find: findKafka, start: startKafka },
  Redis: { find: findRedis, start: startRedis },
  S3: { find: findS3, start: (options) => startS3({ ...options, ...S3_KEYS }) },
  'stripe-mock': { find: findStripeMock, start: startStripeMock },
}

/**
 * Finds a real server for tests: a process of this machine, or with `SERVERS=containers` one of docker-compose.yml. Prints which
 * one on stderr; null, with the reason printed, when there is none. A process halves the time of the services' tests: its files are in
 * memory, not on the engine's disk.
 */
export async function server(name: ServerName): Promise<(() => Promise<RealServer>) | null> {
  try {
    if (process.env['SERVERS'] === 'containers') {
      const found = await containerFor(name)
      if (typeof found === 'string') throw new ServerMissing(found)
      say(`${name}: a real one, in a container of ${found.image}`)
      return found.start
    }
    await NATIVE[name].find()
    say(`${name}: a real one, as a process of this machine`)
    return () => native(NATIVE[name].start)
  } catch (error) {
    if (!(error instanceof ServerMissing)) throw error
    say(`SKIPPED: no test ran against a real ${name}: ${error.message}`)
    return null
  }
}

const say = (line: string): boolean => process.stderr.write(`${line}\n`)

async function native(start: (options: NativeOptions) => Promise<NativeServer>): Promise<RealServer> {
  await removeLeftOver()
  const dir = await folderFor('native')
  let current = await start({ dir })
  const { url, port } = current
  return {
    url,
    port,
    dir,
    stop: () => current.stop(),
    kill: () => current.kill(),
    start: async () => {
      current = await start({ dir, port })
    },
    freeze: async () => current.freeze(),
    thaw: async () => current.thaw(),
    [Symbol.asyncDispose]: async () => {
      await current.stop()
      await rm(dir, { recursive: true, force: true })
    },
  }
}
