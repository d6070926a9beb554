import { within } from '../within.ts'
import type { Dependency } from './run-service.ts'

const PING_TIMEOUT_MS = 2_000
/** Who looks often need not ask each time. */
const FRESH_FOR_MS = 5_000

export type State = 'ok' | 'degraded' | 'down'

export interface Looked {
  readonly name: string
  readonly state: State
  /** Since when it is so, as far as this process has seen (ms since the epoch). */
  readonly since: number
}

/** Asks what a part needs whether it answers. */
export interface Lookout {
  now(): Promise<readonly Looked[]>
  /** What was seen within the last seconds, else `now`. */
  lately(): Promise<readonly Looked[]>
}

export function createLookout(dependencies: readonly Dependency[]): Lookout {
  let last: readonly Looked[] = []
  let asked: { at: number; answer: Promise<readonly Looked[]> } | undefined
  const now = async (): Promise<readonly Looked[]> => {
    const answer = Promise.all(
      dependencies.map(async (one): Promise<Looked> => {
        const state = await stateOf(one)
        const before = last.find(({ name }) => name === one.name)
        return before?.state === state ? before : { name: one.name, state, since: Date.now() }
      }),
    )
    asked = { at: Date.now(), answer }
    last = await answer
    return last
  }
  return { now, lately: () => (asked && Date.now() - asked.at < FRESH_FOR_MS ? asked.answer : now()) }
}

async function stateOf({ ping, needed }: Dependency): Promise<State> {
  try {
    await within(PING_TIMEOUT_MS, ping())
    return 'ok'
  } catch {
    return needed ? 'down' : 'degraded'
  }
}
