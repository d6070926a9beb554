import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { PARTS } from './nights.ts'

/** When each part of the night passed last; who ran it commits the file. */
const PATH = 'docs/nightly.json'
const DAY_MS = 24 * 60 * 60_000

type Nights = Partial<Record<string, { at: string; commit: string; minutes: number }>>

const readNights = (): Nights => JSON.parse(readFileSync(PATH, 'utf8')) as Nights

/** A sentence with the days since each part of the night passed. */
export function ageOfNights(now: number, nights = readNights()): string {
  const ages = Object.keys(PARTS).map((part) => {
    const last = nights[part]
    return `${part} ${last ? `${Math.floor((now - Date.parse(last.at)) / DAY_MS)} d` : 'never'}`
  })
  return `Days since each part of the night passed (make test-nightly): ${ages.join(', ')}`
}

/** Whether it passed on the code that is checked out, whatever changed in pages since. */
export function hasPassed(part: string): boolean {
  const last = readNights()[part]
  if (!last) return false
  const unchanged = ['diff', '--quiet', last.commit, '--', '.', ':!docs', ':!*.md']
  return spawnSync('git', unchanged).status === 0
}

export function recordNight(part: string, seconds: number): void {
  const commit = execFileSync('git', ['rev-parse', '--short=8', 'HEAD'], { encoding: 'utf8' }).trim()
  const entry = { at: new Date().toISOString().slice(0, 10), commit, minutes: Math.ceil(seconds / 60) }
  writeFileSync(PATH, `${JSON.stringify({ ...readNights(), [part]: entry }, null, 2)}\n`)
}
