import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runTool } from '../servers/installed.ts'
import { ServerMissing } from '../servers/server-missing.ts'

const LOCK = join(tmpdir(), 'prelude-install.lock')

/** Installs packages of Debian; needs root. Errors: ServerMissing. */
export async function installFromDebian(...packages: readonly string[]): Promise<void> {
  const names = packages.join(' ')
  if (process.getuid?.() !== 0) throw new ServerMissing(`root has to install the package ${names}`)
  // runlevel 1: the package's own service is not started
  const env = { DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' }
  // without manual pages: each installation would rebuild their index
  const options = '-y -qq --no-install-recommends -o Dpkg::Options::=--path-exclude=/usr/share/man/*'
  const install = `apt-get install ${options} ${names}`
  // apt does not wait for another apt
  await runTool('flock', [LOCK, 'sh', '-c', `${install} || { apt-get update -qq && ${install}; }`], { env })
}
