import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/**
 * `make dev`: the product in one process, which restarts when a file that it runs changes, behind Vite's development server,
 * which reloads the page. Both end together, on SIGINT (Ctrl-C) or SIGTERM.
 */

const PAGE_PORT = Number(process.env['PAGE_PORT'] ?? 5173)
const API_PORT = Number(process.env['PORT'] ?? 8080)

const run = (command: string, args: readonly string[], env: Record<string, string> = {}): ChildProcess =>
  spawn(join('node_modules', '.bin', command), args, { stdio: 'inherit', env: { ...process.env, ...env } })

const page = `http://localhost:${PAGE_PORT}`
const both = [
  run('node', ['--watch', '--watch-preserve-output', 'infra/embedded/main.ts'], {
    PORT: String(API_PORT),
    PUBLIC_URL: page,
  }),
  run('vite', ['--config', 'web/vite.config.ts', '--port', String(PAGE_PORT), '--strictPort'], {
    API_URL: `http://localhost:${API_PORT}`,
  }),
]
const stop = (): void => {
  for (const one of both) one.kill('SIGTERM')
}
process.on('SIGINT', stop)
process.on('SIGTERM', stop)
const ended = both.map((one) => once(one, 'exit'))
await Promise.race(ended)
stop()
await Promise.all(ended)
