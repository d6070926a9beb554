import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stopOrphan } from '../../embedded/postgres-process.ts'
import { startOf, stopLeftOver } from '../servers/server-process.ts'

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

/** Makes a data folder for one server. */
export const folderFor = (kind: 'native' | 'container'): Promise<string> =>
  mkdtemp(join(tmpdir(), `prelude-${kind}-${process.pid}-`))

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
