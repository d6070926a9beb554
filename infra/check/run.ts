import { spawn } from 'node:child_process'
import { join } from 'node:path'

const KEPT = 4_000

/** Runs a command of `node_modules` with its output shown; answers its exit code and the end of its stderr. */
export function run(command: string, args: string[]): Promise<{ code: number; errors: string }> {
  return new Promise((resolve) => {
    let errors = ''
    const child = spawn(join('node_modules', '.bin', command), args, {
      stdio: ['ignore', 'inherit', 'pipe'],
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      process.stderr.write(text)
      errors = (errors + text).slice(-KEPT)
    })
    child.on('error', (error) => resolve({ code: 1, errors: error.message }))
    child.on('close', (code) => resolve({ code: code ?? 1, errors }))
  })
}
