import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { SHARED_CACHE } from '../../embedded/postgres-binaries.ts'
import { cacheRoot, findFolder } from './installed.ts'

/** Barman's commands for object stores as in the image of PostgreSQL. */

export const BARMAN_REQUIREMENTS = resolve(import.meta.dirname, '../../docker/postgres/requirements.txt')

const isRoot = process.getuid?.() === 0

/** Name and place of its folder: the server, which root runs as another user, can enter it. */
export const barmanFolder = (): { name: string; at: string } => {
  const version = /^barman==(.*)$/m.exec(readFileSync(BARMAN_REQUIREMENTS, 'utf8'))?.[1]
  return { name: `barman-${version}`, at: isRoot ? SHARED_CACHE : cacheRoot() }
}

/** Answers the variables by which the server finds the commands. Errors: ServerMissing. */
export async function findBarman(): Promise<Readonly<Record<'PATH' | 'PYTHONPATH', string>>> {
  const { name, at } = barmanFolder()
  const folder = await findFolder(name, at)
  return { PATH: `${join(folder, 'bin')}:/usr/bin:/bin`, PYTHONPATH: folder }
}
