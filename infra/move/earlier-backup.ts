import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { objectFile } from '@prelude/platform'
import type { Earlier } from './copy-blobs.ts'
import { hasData } from './folder.ts'

/** Looks objects up in the newest backup in this folder; the new backup shares their files with it. */
export async function earlierBackup(folder: string): Promise<Earlier> {
  const names = await readdir(folder).catch((): string[] => [])
  const backups = names.map((name) => join(folder, name)).filter(hasData)
  const times = await Promise.all(backups.map(async (path) => (await stat(path)).mtimeMs))
  const newest = backups[times.indexOf(Math.max(...times))]
  return async (path, sizeBytes) => {
    if (newest === undefined) return null
    const file = join(newest, 'blobs', objectFile(path))
    const info = await stat(file).catch(() => null)
    return info?.size === sizeBytes ? file : null
  }
}
