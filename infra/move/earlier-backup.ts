import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Earlier } from './copy-blobs.ts'
import { hasData } from './folder.ts'

/** Looks objects up in the backups in this folder, the newest first; the new backup shares their files with it. */
export async function earlierBackup(folder: string): Promise<Earlier> {
  const names = await readdir(folder).catch((): string[] => [])
  const backups = await Promise.all(
    names
      .map((name) => join(folder, name))
      .filter(hasData)
      .map(async (path) => ({ path, at: (await stat(path)).mtimeMs })),
  )
  const newestFirst = backups.toSorted((one, other) => other.at - one.at)
  return async (object, sizeBytes) => {
    for (const { path } of newestFirst) {
      const file = join(path, 'blobs', object)
      const info = await stat(file).catch(() => null)
      if (info?.size === sizeBytes) return file
    }
    return null
  }
}
