import { spawn } from 'node:child_process'
import { join } from 'node:path'

const KEPT = 4_000

/** Takes the output of a command, as it comes. */
export type Output = (text: string) => void

export interface Running {
  readonly stdout: Output
  readonly stderr: Output
}

export const terminal: Running = {
  stdout: (text) => void process.stdout.write(text),
  stderr: (text) => void process.stderr.write(text),
}

/** Keeps output until it is shown, so that two commands side by side do not mix theirs. */
export function buffered(): Running & { show(): void } {
  const kept: [keyof Running, string][] = []
  return {
    stdout: (text) => void kept.push(['stdout', text]),
    stderr: (text) => void kept.push(['stderr', text]),
    show: () => {
      for (const [stream, text] of kept.splice(0)) terminal[stream](text)
    },
  }
}

/** Runs a command of `node_modules`, with these variables too; answers its exit code and the end of its stderr. */
export function run(
  command: string,
  args: readonly string[],
  { stdout, stderr }: Running,
  variables: Readonly<Record<string, string>> = {},
): Promise<{ code: number; errors: string }> {
  return new Promise((resolve) => {
    let errors = ''
    const child = spawn(join('node_modules', '.bin', command), args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...(process.stdout.isTTY && { FORCE_COLOR: '1' }), ...variables },
    })
    child.stdout.setEncoding('utf8').on('data', stdout)
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr(text)
      errors = (errors + text).slice(-KEPT)
    })
    child.on('error', (error) => resolve({ code: 1, errors: error.message }))
    child.on('close', (code) => resolve({ code: code ?? 1, errors }))
  })
}
