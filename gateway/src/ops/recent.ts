import { RecentProblem, SlowRequest } from '@prelude/contracts'
import type { Clock } from '@prelude/platform'
import { type Static, Type } from 'typebox'

const SLOW_MS = 1_000
const SLOW_KEPT = 50
const FORGOTTEN_AFTER_MS = 24 * 60 * 60_000

/** A request of the public API: its pattern, never its address. */
interface Answered {
  readonly method: string
  readonly route: string | null
  readonly status: number
  /** Of the problem it was answered with. */
  readonly code: string | null
  /** To the first byte of the answer. */
  readonly ms: number
  readonly requestId: string
}

const Notes = Type.Object({ slow: Type.Array(SlowRequest), problems: Type.Array(RecentProblem) })
export type Notes = Static<typeof Notes>

export interface Recent {
  note(request: Answered): void
  notes(): Notes
}

/** The last slow and failed requests of this process: bounded, and without personal data. */
export function createRecent(clock: Clock): Recent {
  const slow: Static<typeof SlowRequest>[] = []
  const problems = new Map<string, Static<typeof RecentProblem>>()
  return {
    note: ({ method, route, status, code, ms, requestId }) => {
      const at = clock.now()
      if (ms >= SLOW_MS) {
        slow.unshift({ at, method, route, status, ms: Math.round(ms), requestId })
        slow.length = Math.min(slow.length, SLOW_KEPT)
      }
      if (code === null) return
      const count = (problems.get(code)?.count ?? 0) + 1
      problems.set(code, { code, status, count, at, route, requestId })
    },
    notes: () => ({
      slow,
      problems: [...problems.values()].filter(({ at }) => at > clock.now() - FORGOTTEN_AFTER_MS),
    }),
  }
}
