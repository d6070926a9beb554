import { chmod, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { SHARED_CACHE } from '../embedded/postgres-binaries.ts'
import { cached, runTool } from './cache.ts'
import { obtainFromDebian } from './debian.ts'

const REQUIREMENTS = resolve(import.meta.dirname, '../docker/postgres/requirements.txt')

/**
 * Barman's commands for object stores as in the image of PostgreSQL; answers the variables by which the server, which root
 * runs as another user, finds them. Installed from PyPI once a machine. Errors: ServerMissing.
 */
export async function obtainBarman(): Promise<Readonly<Record<'PATH' | 'PYTHONPATH', string>>> {
  const version = /^barman==(.*)$/m.exec(await readFile(REQUIREMENTS, 'utf8'))?.[1]
  const isRoot = process.getuid?.() === 0
  // the system's own: another user can run what it installs
  const pip = isRoot ? '/usr/bin/pip3' : 'pip3'
  const install = async (unfinished: string): Promise<void> => {
    await obtainFromDebian(pip, 'python3-pip')
    const what = ['--no-deps', '--requirement', REQUIREMENTS, '--target', unfinished]
    await runTool(pip, ['install', '--quiet', '--disable-pip-version-check', ...what])
    await chmod(unfinished, 0o755)
  }
  const folder = await cached(`barman-${version}`, install, isRoot ? SHARED_CACHE : undefined)
  return { PATH: `${join(folder, 'bin')}:/usr/bin:/bin`, PYTHONPATH: folder }
}
