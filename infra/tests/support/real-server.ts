import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stopOrphan } from '../../embedded/postgres-process.ts'
import { obtainKafka, startKafka } from '../../native/kafka.ts'
import { startPostgresServer } from '../../native/postgres.ts'
import { obtainRedis, startRedis } from '../../native/redis.ts'
import { obtainS3, startS3 } from '../../native/s3.ts'
import { ServerMissing } from '../../native/server-missing.ts'
import { type NativeOptions, type NativeServer, startOf, stopLeftOver } from '../../native/server-process.ts'
import { obtainStripeMock, startStripeMock } from '../../native/stripe-mock.ts'
import { containerFor } from './container-server.ts'

export type ServerName = 'PostgreSQL' | 'Kafka' | 'Redis' | 'S3' | 'stripe-mock'

/** A server of one test file, which may stop, kill or freeze it. Disposing of it removes its data. */
export interface RealServer extends AsyncDisposable {
  readonly url: string
  readonly port: number
  /** Its data as files of this machine, where it keeps them so (S3). */
  readonly dir: string
  stop(): Promise<void>
  /** SIGKILL. */
  kill(): Promise<void>
  /** After `stop` or `kill`: at the same address, with its data. */
  start(): Promise<void>
  /** SIGSTOP: keeps its connections and answers nothing. */
  freeze(): Promise<void>
  thaw(): Promise<void>
}

/** With characters that a URL must encode. */
export const S3_KEYS = { accessKey: 'prelude-test', secretKey: 'a secret/with:odd@signs' }

const NATIVE: Record<
  ServerName,
  { obtain: () => Promise<unknown>; start: (options: NativeOptions) => Promise<NativeServer> }
> = {
  PostgreSQL: {
    obtain: async () => {}, // it comes with npm
    start: (options) => startPostgresServer({ ...options, durable: false }),
  },
  Kafka: { obtain: obtainKafka, start: startKafka },
  Redis: { obtain: obtainRedis, start: startRedis },
  S3: { obtain: obtainS3, start: (options) => startS3({ ...options, ...S3_KEYS }) },
  'stripe-mock': { obtain: obtainStripeMock, start: startStripeMock },
}

/**
 * Finds a real server for tests: a container where an engine has its image, else a process of this machine. Prints which
 * one on stderr; null, with the reason printed, when there is none. `SERVERS=containers` or `native` selects one kind.
 */
export async function server(name: ServerName): Promise<(() => Promise<RealServer>) | null> {
  const wish = process.env['SERVERS']
  try {
    if (wish !== 'native') {
      const found = await containerFor(name)
      if (typeof found !== 'string') {
        say(`${name}: a real one, in a container of ${found.image}`)
        return found.start
      }
      if (wish === 'containers') throw new ServerMissing(found)
    }
    await NATIVE[name].obtain()
    say(`${name}: a real one, as a process of this machine`)
    return () => native(NATIVE[name].start)
  } catch (error) {
    if (!(error instanceof ServerMissing)) throw error
    say(`SKIPPED: no test ran against a real ${name}: ${error.message}`)
    return null
  }
}

const say = (line: string): boolean => process.stderr.write(`${line}\n`)

/** Makes a data folder for one server. */
export const folderFor = (kind: 'native' | 'container'): Promise<string> =>
  mkdtemp(join(tmpdir(), `prelude-${kind}-${process.pid}-`))

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

/** Stops servers and removes folders that a killed run left; the folder's name has the process id of that run. */
export async function removeLeftOver(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const owner = /^prelude-(?:native|container)-(\d+)-/.exec(name)?.[1]
    if (owner === undefined || isAlive(Number(owner))) continue
    const dir = join(tmpdir(), name)
    await stopLeftOver(dir)
    await stopOrphan(join(dir, 'cluster')) // PostgreSQL keeps its process id itself
    await rm(dir, { recursive: true, force: true })
  }
}

export const isAlive = (pid: number): boolean => startOf(pid) !== ''
