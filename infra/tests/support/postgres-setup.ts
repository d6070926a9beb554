import type { TestProject } from 'vitest/node'
import { server } from './real-server.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The superuser's URL of one PostgreSQL for the whole run; each test creates its own database or schema there. */
    adminUrl: string
  }
}

/** Vitest's global setup: starts one real PostgreSQL for the run. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const start = await server('PostgreSQL')
  if (start === null) throw new Error('The tests need PostgreSQL.')
  const running = await start()
  project.provide('adminUrl', running.url)
  return async () => running[Symbol.asyncDispose]()
}
