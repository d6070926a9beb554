import { type Alert, opsApi, SERVICE_NAMES } from '@prelude/contracts'
import { client, type Database, type Job, type Logger, newId, type ServiceCall } from '@prelude/platform'
import type { AlertSettings, Receiver } from './alert-receivers.ts'
import { findingsIn, type States, unknownIn } from './domain/rules.ts'
import { isFiring, look, newsFor, toldAll } from './domain/watch.ts'
import { holdWatch, keepWatchState, readWatchState, type WatchState } from './store/watch-state.ts'

/** How many looks something must be gone, so that it counts as over. */
const SETTLED_AFTER = 3
/** How many looks a receiver is left in peace after news. */
const QUIET_FOR = 4
const LEASE = 5

export interface Watch {
  readonly job: Job
  /** What stands and has lasted long enough; also where another instance keeps the watch. */
  alerts(): Promise<Alert[]>
}

/**
 * Looks at every service again and again, and tells the operator once what is wrong, again after a time, and when it is
 * over. One instance does; should the database be away, the one that did goes on from what it remembers.
 */
export function watchProduct(deps: {
  readonly db: Database
  readonly calls: ServiceCall
  readonly logger: Logger
  readonly settings: AlertSettings
  readonly receivers: readonly Receiver[]
}): Watch {
  const { db, calls, logger, settings, receivers } = deps
  const { everyMs, repeatMs } = settings
  const holder = newId()
  const services = SERVICE_NAMES.map((service) => [service, client(calls, service, opsApi)] as const)
  const quietUntil = new Map<string, number>()
  let state: WatchState | null = null

  const hold = async (now: number): Promise<WatchState | null> => {
    const until = now + LEASE * everyMs + 10_000
    const held = await holdWatch(db, { holder, now, until }).catch(() => state)
    // what this process remembers is newer than what it could write
    return held && (state ?? held)
  }

  const tell = async (
    { name, tell: send }: Receiver,
    board: WatchState['board'],
    now: number,
  ): Promise<void> => {
    if (!state || (quietUntil.get(name) ?? 0) > now) return
    const news = newsFor(state.told[name] ?? {}, board, { now, repeatMs })
    if (!news) return
    quietUntil.set(name, now + QUIET_FOR * everyMs)
    try {
      await send(news)
      state = { board, told: { ...state.told, [name]: toldAll(board, now) } }
      const { firing, resolved } = news
      logger.info({ receiver: name, firing: firing.length, resolved: resolved.length }, 'alerts told')
    } catch (error) {
      const { name: kind, code } = error as Error & { code?: string }
      logger.warn({ receiver: name, reason: code ?? kind }, 'alerts not told, will be tried again')
    }
  }

  const run = async (): Promise<void> => {
    state = await hold(Date.now())
    if (!state) return
    const states: States = Object.fromEntries(
      await Promise.all(
        services.map(async ([service, ops]) => [service, await ops.state().catch(() => null)] as const),
      ),
    )
    const now = Date.now()
    const board = look(state.board, findingsIn(states, now), {
      now,
      settleMs: SETTLED_AFTER * everyMs,
      unknown: unknownIn(states),
    })
    state = { ...state, board }
    for (const receiver of receivers) await tell(receiver, board, now)
    await keepWatchState(db, holder, state).catch(() => {}) // remembered here, written with the next look
  }

  return {
    job: { name: 'watch-product', everyMs, run },
    alerts: async () => {
      const { board } = state ?? (await readWatchState(db))
      return Object.values(board)
        .filter((standing) => isFiring(standing, Date.now()))
        .map(({ name, service, detail, since }) => ({ name, service, detail, since }))
    },
  }
}
