import { relative } from 'node:path'
import type { Outcome } from './suite.ts'

const SLOWEST = 20

/**
 * Prints the slowest tests, those that were skipped and those that failed, and as its last line "N passed, N failed"; answers
 * the exit code. With `strict` a skipped test fails the run: where everything is installed, none may be missing unseen.
 */
export function summarize(
  outcomes: readonly Outcome[],
  { seconds, strict, print }: { seconds: number; strict: boolean; print: (text: string) => void },
): number {
  const having = (status: Outcome['status']) => outcomes.filter((one) => one.status === status)
  const list = (heading: string, lines: readonly string[]): void => {
    if (lines.length > 0) print(`\n== ${heading}\n${lines.join('\n')}\n`)
  }
  const [passed, failed, skipped] = [having('passed'), having('failed'), having('skipped')]
  const slowest = outcomes.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST)
  list(
    'slowest',
    slowest.map((one) => `${one.seconds.toFixed(1).padStart(7)} s  ${nameOf(one)}`),
  )
  list(
    `skipped${strict ? ', which fails this run (CI=true)' : ''}`,
    skipped.map((one) => `- ${nameOf(one)}`),
  )
  list(
    'failed',
    failed.map((one) => `- ${nameOf(one)}\n${one.reason.replace(/^/gm, '    ')}`),
  )
  print(`\nIt took ${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s.\n`)
  print(
    `${passed.length} passed, ${failed.length} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ''}\n`,
  )
  return failed.length > 0 || (strict && skipped.length > 0) ? 1 : 0
}

const nameOf = ({ title, file }: Outcome): string =>
  file === null ? title : `${relative('', file)}: ${title}`
