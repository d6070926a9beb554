import { chmod } from 'node:fs/promises'
import { BARMAN_REQUIREMENTS, barmanFolder } from '../servers/barman.ts'
import { runTool } from '../servers/installed.ts'
import { fill } from './cache.ts'

/** From PyPI, with its packages in a folder of its own. Errors: ServerMissing. */
export async function installBarman(): Promise<void> {
  const { name, at } = barmanFolder()
  // the system's own: the user of PostgreSQL can run what it installs
  const python = process.getuid?.() === 0 ? '/usr/bin/python3' : 'python3'
  await fill(
    name,
    async (unfinished) => {
      const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps']
      await runTool(python, [...install, '--requirement', BARMAN_REQUIREMENTS, '--target', unfinished])
      await chmod(unfinished, 0o755)
    },
    at,
  )
}
