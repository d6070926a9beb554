import { execFile, spawnSync } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ServerMissing } from './server-missing.ts'

/** Finds the servers and tools that are installed on this machine. `infra/tests/prepare-machine` installs them; nothing else does. */

const RUN_WITHIN_MS = 30 * 60 * 1000
const INSTALL = 'node infra/tests/prepare-machine/main.ts --night'

export const missing = (name: string): ServerMissing =>
  new ServerMissing(`${name} is not installed (${INSTALL})`)

/** A program of the search path. Errors: ServerMissing. */
export function findProgram(program: string): void {
  if (spawnSync(program, ['--version']).error !== undefined) throw missing(program)
}

/** Folder of what is installed once a machine, outside of the repository. */
export const cacheRoot = (): string =>
  join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'prelude')

/** A folder of that cache, which is complete where it exists. Errors: ServerMissing. */
export async function findFolder(name: string): Promise<string> {
  const folder = join(cacheRoot(), name)
  await stat(folder).catch(() => {
    throw missing(name)
  })
  return folder
}

/** A program that is built from Go's module proxy. */
export interface GoProgram {
  readonly name: string
  /** Its package, without the version. */
  readonly from: string
  readonly version: string
}

export const folderOf = ({ name, version }: GoProgram): string => `${name}-${version}`

/** Its path. Errors: ServerMissing. */
export const findGoProgram = async (program: GoProgram): Promise<string> =>
  join(await findFolder(folderOf(program)), program.name)

/** Runs a tool to its end. Errors: ServerMissing, with the end of its output. */
export async function runTool(
  command: string,
  args: readonly string[],
  options: { cwd?: string; env?: Record<string, string> } = {},
): Promise<void> {
  try {
    await promisify(execFile)(command, args, {
      ...options,
      env: { ...process.env, ...options.env },
      timeout: RUN_WITHIN_MS,
      maxBuffer: 64 * 1024 * 1024,
    })
  } catch (error) {
    const { code, stderr, stdout } = error as { code?: unknown; stderr?: string; stdout?: string }
    if (code === 'ENOENT') throw new ServerMissing(`${command} is not installed`, { cause: error })
    const output = `${stdout ?? ''}\n${stderr ?? ''}`.trim().split('\n').slice(-3).join(' ')
    throw new ServerMissing(`${command} ${args[0]} failed: ${output}`, { cause: error })
  }
}
