import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe } from 'vitest'
import { type NativeOptions, type NativeServer, stopLeftOver } from '../server-process.ts'
import { ServerMissing } from '../server-missing.ts'

export interface Served {
  (): NativeServer
  /** Starts it again on the same port and folder, after `stop` or `kill`. */
  restart(): Promise<void>
}

const PREFIX = 'prelude-native-'
const FETCH_WITHIN_MS = 10 * 60_000

/**
 * Tests against a real server, started once for the file. Where it cannot be had they are skipped, and the reason is said.
 */
export async function withServer(
  name: string,
  obtain: () => Promise<unknown>,
  start: (options: NativeOptions) => Promise<NativeServer>,
  tests: (server: Served) => void,
): Promise<void> {
  const missing = await whyMissing(name, obtain)
  describe.skipIf(missing !== null)(`on a real ${name}`, () => {
    let dir = ''
    let current: NativeServer | undefined
    const server = (): NativeServer => {
      if (!current) throw new Error(`${name} does not run`)
      return current
    }
    beforeAll(async () => {
      await removeLeftOver()
      dir = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`))
      current = await start({ dir })
    }, FETCH_WITHIN_MS)
    afterAll(async () => {
      await current?.stop()
      await rm(dir, { recursive: true, force: true })
    })
    tests(
      Object.assign(server, {
        restart: async () => {
          current = await start({ dir, port: server().port })
        },
      }),
    )
  })
}

/** Says out loud how a server is had for tests: null, or why it cannot be had and what uses it is skipped. */
export async function whyMissing(name: string, obtain: () => Promise<unknown>): Promise<string | null> {
  try {
    await obtain()
    process.stderr.write(`${name}: a real one, as a process of this machine\n`)
    return null
  } catch (error) {
    if (!(error instanceof ServerMissing)) throw error
    process.stderr.write(`SKIPPED: no test ran against a real ${name}: ${error.message}\n`)
    return error.message
  }
}

/** A run that was killed leaves its servers behind; the folder's name says whose it was. */
async function removeLeftOver(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const owner = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1]
    if (owner === undefined || isAlive(Number(owner))) continue
    await stopLeftOver(join(tmpdir(), name))
    await rm(join(tmpdir(), name), { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
