import { execFileSync } from 'node:child_process'
import { findFolder } from './installed.ts'
import { ServerMissing } from './server-missing.ts'
import LAST from '../../release/last.json' with { type: 'json' }

export { LAST }

/** Its folder in the cache of this machine, named after its tree, so that another release is another folder. */
export const LAST_FOLDER = `release-${LAST.tree}`

/**
 * The root of the code of the last release, with its packages. `infra/tests/prepare-machine` makes it from the history. Errors:
 * ServerMissing, also where this repository lacks its commit.
 */
export const findLastRelease = (): Promise<string> =>
  findFolder(LAST_FOLDER).catch((error: unknown) => {
    assertInHistory()
    throw error
  })

/** Errors: ServerMissing; Error when `last.json` contradicts the history. */
export function assertInHistory(): void {
  const tree = git('rev-parse', '--verify', '--quiet', `${LAST.commit}^{tree}`)
  if (tree === null)
    throw new ServerMissing(
      `the commit of ${LAST.version}, ${LAST.commit}, is not in the history here (a shallow clone: git fetch --unshallow)`,
    )
  if (tree !== LAST.tree) throw new Error(`infra/release/last.json: the tree of its commit is ${tree}`)
}

function git(...args: string[]): string | null {
  try {
    return execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8', stdio: 'pipe' }).trim()
  } catch {
    return null // no git, no repository, or no such commit
  }
}
