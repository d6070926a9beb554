import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '../../..')
const WITHIN_MS = 240_000

/** Runs a command of this repository; answers its output. Errors: another exit code than `code`. */
export function runCommand(env: NodeJS.ProcessEnv, args: readonly string[], code = 0): string {
  const run = spawnSync(process.execPath, args, { cwd: ROOT, env, encoding: 'utf8', timeout: WITHIN_MS })
  const output = run.stdout + run.stderr
  if (run.status !== code) throw new Error(`${args.join(' ')} ended with ${run.status}: ${output}`)
  return output
}

/** Runs `prelude <command>`. */
export const prelude = (env: NodeJS.ProcessEnv, args: readonly string[], code = 0): string =>
  runCommand(env, ['infra/cli/main.ts', ...args], code)
