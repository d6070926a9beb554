import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { startPostgres } from '../embedded/postgres.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The superuser's address of one PostgreSQL for the whole run; take a database or schema of your own there. */
    adminUrl: string
  }
}

/** Vitest's global setup: one real PostgreSQL in a temporary folder, gone after the run. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'prelude-test-'))
  const remove = () => rm(dataDir, { recursive: true, force: true })
  const server = await startPostgres({ dataDir, durable: false }).catch(async (error: unknown) => {
    await remove()
    throw error
  })
  project.provide('adminUrl', server.adminUrl)
  return async () => {
    await server.stop()
    await remove()
  }
}
