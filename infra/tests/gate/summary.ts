import { isQuarantined, objectionsTo, type Quarantined } from './quarantine.ts'
import type { Outcome, Report } from './outcome.ts'

const SLOWEST = 15

export interface Circumstances {
  readonly seconds: number
  /** A skipped test fails the run: where everything is installed, none may be missing unseen. */
  readonly strict: boolean
  readonly quarantine: readonly Quarantined[]
  readonly now: number
  readonly print: (text: string) => void
}

/**
 * Prints the slowest files, the tests that were skipped and those that failed, and as its last line "N passed, N failed";
 * answers the exit code.
 */
export function summarize(
  { files, outcomes }: Report,
  { seconds, strict, quarantine, now, print }: Circumstances,
): number {
  const list = (heading: string, lines: readonly string[]): void => {
    if (lines.length > 0) print(`\n== ${heading}\n${lines.join('\n')}\n`)
  }
  const objections = objectionsTo(quarantine, now).map((reason): Outcome => ({
    file: null,
    title: 'quarantine',
    status: 'failed',
    reason,
  }))
  const counted = [...outcomes.filter((one) => !isQuarantined(one, quarantine)), ...objections]
  const having = (status: Outcome['status']) => counted.filter((one) => one.status === status)
  const [passed, failed, skipped] = [having('passed'), having('failed'), having('skipped')]
  list(`slowest files, with their hooks`, table(files).slice(0, SLOWEST))
  list(
    `skipped${strict ? ', which fails this run (CI=true)' : ''}`,
    skipped.map((one) => `- ${nameOf(one)}${one.reason && `: ${one.reason}`}`),
  )
  list(
    'failed',
    failed.map((one) => `- ${nameOf(one)}\n${one.reason.replace(/^/gm, '    ')}`),
  )
  print(`\nIt took ${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s.\n`)
  const inQuarantine = outcomes.filter((one) => isQuarantined(one, quarantine))
  if (inQuarantine.length > 0)
    print(`in quarantine: ${inQuarantine.map((one) => `${nameOf(one)} (${one.status})`).join('; ')}\n`)
  const rest = skipped.length > 0 ? `, ${skipped.length} skipped` : ''
  print(`${passed.length} passed, ${failed.length} failed${rest}\n`)
  return failed.length > 0 || (strict && skipped.length > 0) ? 1 : 0
}

/** Seconds by file, the slowest first. */
export const table = (files: Report['files']): string[] =>
  files
    .toSorted((a, b) => b.seconds - a.seconds)
    .map(({ file, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${file}`)

const nameOf = ({ title, file }: Outcome): string => (file === null ? title : `${file}: ${title}`)
