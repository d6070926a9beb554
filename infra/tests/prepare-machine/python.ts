import { chmod } from 'node:fs/promises'
import { BARMAN_REQUIREMENTS, barmanFolder } from '../../native/barman.ts'
import { runTool } from '../../native/installed.ts'
import { SCHEMATHESIS_FOLDER, SCHEMATHESIS_VERSION } from '../system/fuzz/schemathesis.ts'
import { fill } from './cache.ts'

/** Tools from PyPI, each with its packages in a folder of its own. Errors: ServerMissing. */

const pip = async (python: string, folder: string, ...what: readonly string[]): Promise<void> => {
  const quietly = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check']
  await runTool(python, [...quietly, ...what, '--target', folder])
}

export async function installBarman(): Promise<void> {
  const { name, at } = barmanFolder()
  // the system's own: the user of PostgreSQL can run what it installs
  const python = process.getuid?.() === 0 ? '/usr/bin/python3' : 'python3'
  await fill(
    name,
    async (unfinished) => {
      await pip(python, unfinished, '--no-deps', '--requirement', BARMAN_REQUIREMENTS)
      await chmod(unfinished, 0o755)
    },
    at,
  )
}

export const installSchemathesis = (): Promise<void> =>
  fill(SCHEMATHESIS_FOLDER, (unfinished) =>
    pip('python3', unfinished, `schemathesis==${SCHEMATHESIS_VERSION}`),
  )
