import { RecentProblem, SlowRequest } from '@prelude/contracts'
import type { Clock } from '@prelude/platform'
import { type Static, Type } from 'typebox'
import type { Answered } from '../api/plugins/request-context.ts'

const SLOW_MS = 1_000
const SLOW_KEPT = 50
const FORGOTTEN_AFTER_MS = 24 * 60 * 60_000

const Notes = Type.Object({ slow: Type.Array(SlowRequest), problems: Type.Array(RecentProblem) })
export type Notes = Static<typeof Notes>

/** The last slow and failed requests of this process: bounded, and without personal data. */
export function createRecent(clock: Clock) {
  const slow: Static<typeof SlowRequest>[] = []
  const problems = new Map<string, Static<typeof RecentProblem>>()
  return {
    note: ({ method, route, status, code, ms, requestId }: Answered & { ms: number; requestId: string }) => {
      const at = clock.now()
      if (ms >= SLOW_MS) {
        slow.unshift({ at, method, route, status, ms: Math.round(ms), requestId })
        slow.length = Math.min(slow.length, SLOW_KEPT)
      }
      if (code === null) return
      const count = (problems.get(code)?.count ?? 0) + 1
      problems.set(code, { code, status, count, at, route, requestId })
    },
    notes: (): Notes => ({
      slow,
      problems: [...problems.values()].filter(({ at }) => at > clock.now() - FORGOTTEN_AFTER_MS),
    }),
  }
}
