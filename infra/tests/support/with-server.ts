import { afterAll, beforeAll, describe } from 'vitest'
import { server } from './real-server.ts'
import type { RealServer, ServerName } from './server-data.ts'
import { ServerMissing } from '../servers/server-missing.ts'

/** Tests against a real server, started once for the file. Where it is not available they are skipped, with the reason printed. */
export async function withServer(name: ServerName, tests: (server: () => RealServer) => void): Promise<void> {
  const start = await server(name)
  describe.skipIf(start === null)(`on a real ${name}`, () => {
    let current: RealServer | undefined
    beforeAll(async () => {
      current = await start?.()
    })
    afterAll(() => current?.[Symbol.asyncDispose]())
    tests(() => {
      if (!current) throw new Error(`${name} does not run`)
      return current
    })
  })
}

/** Answers null when the server is available, else the reason, and prints it: tests that need it are skipped. */
export async function whyMissing(name: string, find: () => unknown): Promise<string | null> {
  try {
    await find()
    process.stderr.write(`${name}: a real one, as a process of this machine\n`)
    return null
  } catch (error) {
    if (!(error instanceof ServerMissing)) throw error
    process.stderr.write(`SKIPPED: no test ran against a real ${name}: ${error.message}\n`)
    return error.message
  }
}
