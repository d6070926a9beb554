import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ServerMissing } from './server-missing.ts'

const LEFT_BEHIND_AFTER_MS = 60 * 60 * 1000
const FETCH_WITHIN_MS = 10 * 60 * 1000

/** Cache folder of installed servers, outside of the repository: one a machine. */
const root = (): string => join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'prelude')

/**
 * The folder `name` of the cache `at`; where it is missing, `fetch` fills it first. It appears complete or not at all (rename),
 * so an interrupted fetch starts again and concurrent ones do not mix.
 */
export async function cached(
  name: string,
  fetch: (folder: string) => Promise<void>,
  at = root(),
): Promise<string> {
  const folder = join(at, name)
  if (await isThere(folder)) return folder
  await mkdir(at, { recursive: true })
  await removeUnfinished(at)
  const unfinished = await mkdtemp(join(at, 'unfinished-'))
  try {
    await fetch(unfinished)
    await rename(unfinished, folder)
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    if (!(await isThere(folder))) throw error // else another process has filled it
  }
  return folder
}

/** Runs a tool that downloads. Errors: ServerMissing with the end of its output. */
export async function runTool(
  command: string,
  args: readonly string[],
  options: { cwd?: string; env?: Record<string, string> } = {},
): Promise<void> {
  try {
    await promisify(execFile)(command, args, {
      ...options,
      env: { ...process.env, ...options.env },
      timeout: FETCH_WITHIN_MS,
      maxBuffer: 64 * 1024 * 1024,
    })
  } catch (error) {
    const { code, stderr, stdout } = error as { code?: unknown; stderr?: string; stdout?: string }
    if (code === 'ENOENT') throw new ServerMissing(`${command} is not installed`, { cause: error })
    const output = `${stdout ?? ''}\n${stderr ?? ''}`.trim().split('\n').slice(-3).join(' ')
    throw new ServerMissing(`${command} ${args[0]} failed: ${output}`, { cause: error })
  }
}

/** A Go program of a module, built once a machine: without optimization, which takes a third less. Errors: ServerMissing. */
export async function goProgram(name: string, module: string): Promise<string> {
  const folder = await cached(`${name}-${module.split('@')[1]}`, (unfinished) =>
    runTool('go', ['install', '-gcflags=all=-N -l', module], {
      env: { GOBIN: unfinished, CGO_ENABLED: '0' },
    }),
  )
  return join(folder, name)
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )

async function removeUnfinished(at: string): Promise<void> {
  for (const name of await readdir(at)) {
    if (!name.startsWith('unfinished-')) continue
    const path = join(at, name)
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }))
    if (mtimeMs < Date.now() - LEFT_BEHIND_AFTER_MS) await rm(path, { recursive: true, force: true })
  }
}
