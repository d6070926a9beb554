import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** The outcome of a test, of a static check, or of what failed outside of tests. */
export interface Outcome {
  /** Relative to the checkout; null where no file can be named. */
  readonly file: string | null
  readonly title: string
  readonly status: 'passed' | 'failed' | 'skipped'
  /** Of a failure: its message and the command that repeats it. Of a skipped test: why, where that is known. */
  readonly reason: string
}

/** What the reporters of vitest and Playwright write, so that one summary counts both. */
export interface Report {
  /** With hooks and fixtures, which the sum of the tests leaves out. */
  readonly files: readonly { readonly file: string; readonly seconds: number }[]
  readonly outcomes: readonly Outcome[]
}

export const NO_REPORT: Report = { files: [], outcomes: [] }

/** The variable that names the file of a run's report; without it none is written. */
export const REPORT = 'REPORT'

export function writeReport(report: Report): void {
  const path = process.env[REPORT]
  if (!path) return
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, JSON.stringify(report))
}

/** Null when the run wrote none: it crashed. */
export function readReport(path: string): Report | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Report
  } catch {
    return null
  }
}

export const removeReport = (path: string): void => rmSync(path, { force: true })

const LINES = 12

/** The first lines of a message, without those of the test runner itself. */
export const shortened = (message: string): string =>
  message
    .split('\n')
    .filter((line) => !/node_modules\/(vitest|playwright)/.test(line))
    .slice(0, LINES)
    .join('\n')
