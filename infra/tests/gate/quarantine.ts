import { existsSync, readFileSync } from 'node:fs'
import type { Outcome } from './outcome.ts'

/** A test whose outcome does not decide for some days, since its failures are known and somebody mends it. */
export interface Quarantined {
  readonly file: string
  readonly title: string
  /** Days, as 2026-11-26; at most seven apart. */
  readonly since: string
  readonly until: string
  readonly reason: string
}

const PATH = 'infra/tests/quarantine.json'
const MOST = 3
const MOST_DAYS = 7
const DAY_MS = 24 * 60 * 60_000
/** Money, access and the invariants are guarded at every moment. */
const NEVER = [
  'services/credits/',
  'services/payments/',
  'gateway/test/access',
  'gateway/test/once',
  'infra/tests/invariants/',
  'infra/tests/soak/',
]

export const readQuarantine = (): Quarantined[] => JSON.parse(readFileSync(PATH, 'utf8')) as Quarantined[]

/** What is wrong with the list itself, in sentences. */
export function objectionsTo(entries: readonly Quarantined[], now: number, exists = existsSync): string[] {
  const objections = entries.flatMap(({ file, title, since, until, reason }) => {
    const about = (problem: string) => [`${file}: ${title}: ${problem}`]
    if (!exists(file) || !readFileSync(file, 'utf8').includes(title)) return about('there is no such test')
    if (NEVER.some((path) => file.startsWith(path))) return about('what it guards is never without its test')
    if (reason === '') return about('without a reason')
    const days = (Date.parse(until) - Date.parse(since)) / DAY_MS
    if (!(days <= MOST_DAYS)) return about(`for more than ${MOST_DAYS} days`)
    return now > Date.parse(until) + DAY_MS ? about(`overdue since ${until}`) : []
  })
  return entries.length > MOST ? [...objections, `more than ${MOST} tests`] : objections
}

export const isQuarantined = ({ file, title }: Outcome, entries: readonly Quarantined[]): boolean =>
  entries.some((entry) => entry.file === file && title.endsWith(entry.title))
