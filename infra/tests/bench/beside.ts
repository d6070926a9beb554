import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

/**
 * Runs a module of this folder as a process of its own, so that its CPU time is not the server's: it reads `input` from stdin as
 * JSON and prints its result. Errors: it failed.
 */
export async function runBeside<Result>(module: string, input: unknown): Promise<Result> {
  const child = spawn(process.execPath, [fileURLToPath(new URL(module, import.meta.url))], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.end(JSON.stringify(input))
  const [printed, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  if (code !== 0) throw new Error(`${module} ended with code ${String(code)}`)
  return JSON.parse(printed) as Result
}
