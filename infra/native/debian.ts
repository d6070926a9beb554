import { spawnSync } from 'node:child_process'
import { runTool } from './cache.ts'
import { ServerMissing } from './server-missing.ts'

const isInstalled = (program: string): boolean => spawnSync(program, ['--version']).error === undefined

/** Installs a package of Debian unless the program exists; needs root. Errors: ServerMissing. */
export async function obtainFromDebian(program: string, name = program): Promise<void> {
  if (isInstalled(program)) return
  if (process.getuid?.() !== 0) throw new ServerMissing(`${program} is not installed`)
  // runlevel 1: the package's own service is not started
  const env = { DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' }
  await runTool('apt-get', ['update', '-qq'], { env })
  await runTool('apt-get', ['install', '-y', '-qq', '--no-install-recommends', name], { env })
  if (!isInstalled(program)) throw new ServerMissing(`${program} could not be installed`)
}
