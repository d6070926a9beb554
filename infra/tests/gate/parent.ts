import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { baseOfChange } from './changes.ts'
import { limitCores } from './limit-cores.ts'
import { linkPackages } from '../support/copy-checkout.ts'
import type { Outcome } from './outcome.ts'
import { type Command, run } from './run.ts'

const TIMES = 10
const CORES = 0.5
/** No run begins after this long. */
const BEGIN_WITHIN_MS = 120_000

/**
 * Runs the file of the one test that failed up to ten times in a checkout of the commit before the change, on half a core, and
 * answers how often it fails there: whether this change or an earlier one has to be mended. It changes no outcome.
 */
export async function comparedWithParent({ file }: Outcome): Promise<string> {
  const base = baseOfChange()
  if (file === null || base === null) return ''
  const folder = mkdtempSync(join(tmpdir(), 'prelude-parent-'))
  const git = (...args: string[]): void => void execFileSync('git', args, { stdio: 'ignore' })
  try {
    git('worktree', 'add', '--detach', folder, base)
    if (!existsSync(join(folder, file))) return `${file} is new: it has not been red before.`
    const [lock, lockThere] = ['.', folder].map((one) => readFileSync(join(one, 'package-lock.json'), 'utf8'))
    if (lock !== lockThere) return 'The change has other packages: not compared with the commit before it.'
    await linkPackages(folder)
    // browser tests and those of the build need it
    execFileSync('npm', ['run', '--silent', 'build'], { cwd: folder, stdio: 'ignore' })
    const release = await limitCores('parent', CORES)
    const began = performance.now()
    const codes: number[] = []
    while (codes.length < TIMES && performance.now() - began < BEGIN_WITHIN_MS)
      codes.push((await run(commandFor(file), { quiet: true, cwd: folder })).code)
    await release()
    const failures = codes.filter((code) => code !== 0).length
    return `${file} before the change (${base.slice(0, 8)}): red ${failures} of ${codes.length} times.`
  } finally {
    git('worktree', 'remove', '--force', folder)
    rmSync(folder, { recursive: true, force: true })
  }
}

const commandFor = (file: string): Command =>
  file.startsWith('infra/tests/e2e/')
    ? ['playwright', 'test', '--config', 'infra/tests/e2e', '--grep-invert=@night', file]
    : ['vitest', 'run', file]
