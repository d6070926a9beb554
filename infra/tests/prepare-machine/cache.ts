import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { cacheRoot, folderOf, type GoProgram, runTool } from '../servers/installed.ts'

const LEFT_BEHIND_AFTER_MS = 60 * 60 * 1000

/**
 * Fills the folder `name` of the cache. It appears complete or not at all (rename), so an interrupted installation starts
 * again and concurrent ones do not mix.
 */
export async function fill(name: string, install: (folder: string) => Promise<void>): Promise<void> {
  const at = cacheRoot()
  await mkdir(at, { recursive: true })
  await removeUnfinished(at)
  const unfinished = await mkdtemp(join(at, 'unfinished-'))
  try {
    await install(unfinished)
    await rename(unfinished, join(at, name))
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    if (!(await isThere(join(at, name)))) throw error // else another process has filled it
  }
}

/** Builds a Go program: without optimization, which takes a third less. */
export const buildGoProgram = (program: GoProgram): Promise<void> =>
  fill(folderOf(program), (unfinished) =>
    runTool('go', ['install', '-gcflags=all=-N -l', `${program.from}@${program.version}`], {
      env: { GOBIN: unfinished, CGO_ENABLED: '0' },
    }),
  )

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
