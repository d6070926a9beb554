import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runTool } from './cache.ts'
import { ServerMissing } from './server-missing.ts'

const LOCK = join(tmpdir(), 'prelude-install.lock')

const isInstalled = (program: string): boolean => spawnSync(program, ['--version']).error === undefined

/** Installs a package of Debian unless the program exists; needs root. Errors: ServerMissing. */
export async function obtainFromDebian(program: string, name = program): Promise<void> {
  if (isInstalled(program)) return
  if (process.getuid?.() !== 0) throw new ServerMissing(`${program} is not installed`)
  // runlevel 1: the package's own service is not started
  const env = { DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' }
  // without manual pages: each installation would rebuild their index
  const options = '-y -qq --no-install-recommends -o Dpkg::Options::=--path-exclude=/usr/share/man/*'
  const install = `apt-get install ${options} ${name}`
  // suites that run side by side install one after the other: apt does not wait for another apt
  await runTool(
    'flock',
    [LOCK, 'sh', '-c', `command -v ${program} || ${install} || { apt-get update -qq && ${install}; }`],
    { env },
  )
  if (!isInstalled(program)) throw new ServerMissing(`${program} could not be installed`)
}
