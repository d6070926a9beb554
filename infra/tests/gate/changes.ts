import { execFileSync } from 'node:child_process'

/** Without a merge in the history this many commits count as the change. */
const COMMITS = 20

const git = (...args: string[]): string[] => {
  try {
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
      .split('\n')
      .filter(Boolean)
  } catch {
    return [] // not a checkout of git, or a history that is not that long
  }
}

/** The commit before the change: the last merge, else that of 20 commits ago, else the first one. */
export function baseOfChange(): string | null {
  const [merge] = git('rev-list', '--merges', '--max-count=1', 'HEAD')
  const recent = git('rev-list', '--first-parent', `--max-count=${COMMITS + 1}`, 'HEAD')
  return merge ?? recent.at(-1) ?? null
}

/** Files that the change adds or edits, committed or not, relative to the checkout. */
export function changedFiles(): string[] {
  const base = baseOfChange()
  if (base === null) return []
  const filter = '--diff-filter=d' // not those that it removes
  return [
    ...new Set([
      ...git('diff', '--name-only', filter, base),
      ...git('ls-files', '--others', '--exclude-standard'),
    ]),
  ]
}
