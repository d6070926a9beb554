import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { runTool } from '../servers/installed.ts'
import { assertInHistory, LAST, LAST_FOLDER } from '../servers/last-release.ts'
import { fill } from './cache.ts'

const ROOT = resolve(import.meta.dirname, '../../..')

/** The code of the last release from the history, with what its own lock file names. Errors: ServerMissing. */
export async function installLastRelease(): Promise<void> {
  assertInHistory()
  await fill(LAST_FOLDER, async (folder) => {
    const archive = join(folder, 'release.tar')
    await runTool('git', ['archive', '--output', archive, LAST.commit], { cwd: ROOT })
    await runTool('tar', ['-xf', archive, '-C', folder])
    await rm(archive)
    await runTool('npm', ['ci', '--ignore-scripts', '--omit=dev', '--no-audit', '--no-fund'], { cwd: folder })
  })
}
