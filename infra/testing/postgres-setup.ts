import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { lockPostgres, startPostgres } from '../embedded/postgres.ts'
import { stopOrphan } from '../embedded/postgres-process.ts'
import { StartError } from '../embedded/start-error.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The superuser's address of one PostgreSQL for the whole run; take a database or schema of your own there. */
    adminUrl: string
  }
}

const PREFIX = 'prelude-test-'

/** Vitest's global setup: one real PostgreSQL in a temporary folder, gone after the run. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await removeLeftOver()
  const dataDir = await mkdtemp(join(tmpdir(), PREFIX))
  const remove = () => rm(dataDir, { recursive: true, force: true })
  const server = await startPostgres({ dataDir, durable: false }).catch(async (error: unknown) => {
    await remove()
    throw error
  })
  process.stderr.write('PostgreSQL: a real one, as a process of this machine\n')
  project.provide('adminUrl', server.adminUrl)
  return async () => {
    await server.stop()
    await remove()
  }
}

/** Younger folders may be about to be used by another run. */
const YOUNG_MS = 60_000

/** A run that was killed leaves its server behind; nobody holds the lock on its folder any more. */
async function removeLeftOver(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(PREFIX)) continue
    const dir = join(tmpdir(), name)
    const made = (await stat(dir).catch(() => null))?.birthtimeMs ?? Date.now()
    if (Date.now() - made < YOUNG_MS) continue
    try {
      const lock = lockPostgres(dir)
      await stopOrphan(join(dir, 'cluster'))
      await rm(dir, { recursive: true, force: true })
      lock.release()
    } catch (error) {
      if (!(error instanceof StartError)) throw error // in use, or somebody else's
    }
  }
}
