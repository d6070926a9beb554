import type { TestProject } from 'vitest/node'
import { server } from './real-server.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The superuser's address of one PostgreSQL for the whole run; take a database or schema of your own there. */
    adminUrl: string
  }
}

/** Vitest's global setup: one real PostgreSQL, gone after the run. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const start = await server('PostgreSQL')
  if (start === null) throw new Error('Without PostgreSQL there is hardly a test.')
  const running = await start()
  project.provide('adminUrl', running.url)
  return async () => running[Symbol.asyncDispose]()
}
