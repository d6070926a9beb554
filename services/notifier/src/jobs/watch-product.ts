import { type Alert, opsApi, SERVICE_NAMES } from '@prelude/contracts'
import { client, type Clock, type Database, type Job, type Logger, type ServiceCall } from '@prelude/platform'
import type { AlertSettings, Receiver } from '../alert-receivers.ts'
import { commandFor } from '../domain/operator-command.ts'
import { findingsIn, type States, unknownIn } from '../domain/rules.ts'
import { isFiring, newsFor, notifiedOfAll, updateAlerts } from '../domain/watch.ts'
import { holdWatch, keepWatchState, readWatchState, type WatchState } from '../store/watch-state.ts'

/** Rounds without a finding after which an alert is resolved. */
const SETTLED_AFTER = 3
/** Rounds between two notifications of a receiver. */
const QUIET_FOR = 4
const NOTHING_YET: WatchState = { alerts: {}, notified: {} }
/** Rounds that the lease of an instance lasts. */
const LEASE = 5

export interface Watch {
  readonly job: Job
  /** Firing alerts, also when another instance holds the lease. */
  alerts(): Promise<Alert[]>
}

/**
 * Checks every service at an interval and notifies the receivers of new alerts, repeats them after a time, and says when they
 * are resolved. One instance does, under a lease; while the database does not answer, that one continues from its memory, and
 * one that starts then begins without any.
 */
export function watchProduct(deps: {
  readonly db: Database
  readonly clock: Clock
  /** Holds the lease; see createNotifier. */
  readonly instance: string
  readonly calls: ServiceCall
  readonly logger: Logger
  readonly settings: AlertSettings
  readonly receivers: readonly Receiver[]
}): Watch {
  const { db, clock, instance: holder, calls, logger, settings, receivers } = deps
  const { everyMs, repeatMs } = settings
  const services = SERVICE_NAMES.map((service) => [service, client(calls, service, opsApi)] as const)
  const quietUntil = new Map<string, number>()
  let state: WatchState | null = null
  /** The database has said whether another instance holds the lease. */
  let hasAnswered = false

  const hold = async (now: number): Promise<WatchState | null> => {
    const until = now + LEASE * everyMs + 10_000
    let held: WatchState | null
    try {
      held = await holdWatch(db, { holder, now, until })
    } catch {
      return state ?? (hasAnswered ? null : NOTHING_YET)
    }
    const isFirst = !hasAnswered
    hasAnswered = true
    if (held === null || state === null) return held
    // the state in memory is newer than the stored one when a write failed; one of a start without the database is only a part
    return isFirst ? merged(held, state) : state
  }

  const notify = async (
    { name, notify: send }: Receiver,
    alerts: WatchState['alerts'],
    now: number,
  ): Promise<void> => {
    if (!state || (quietUntil.get(name) ?? 0) > now) return
    const news = newsFor(state.notified[name] ?? {}, alerts, { now, repeatMs })
    if (!news) return
    quietUntil.set(name, now + QUIET_FOR * everyMs)
    try {
      await send(news)
      state = { alerts, notified: { ...state.notified, [name]: notifiedOfAll(alerts, now) } }
      const { firing, resolved } = news
      logger.info({ receiver: name, firing: firing.length, resolved: resolved.length }, 'alerts sent')
    } catch (error) {
      const { name: kind, code } = error as Error & { code?: string }
      logger.warn({ receiver: name, reason: code ?? kind }, 'alerts not sent, will be tried again')
    }
  }

  const run = async (): Promise<void> => {
    state = await hold(clock.now())
    if (!state) return
    const states: States = Object.fromEntries(
      await Promise.all(
        services.map(async ([service, ops]) => [service, await ops.state().catch(() => null)] as const),
      ),
    )
    const now = clock.now()
    const alerts = updateAlerts(state.alerts, findingsIn(states, now), {
      now,
      settleMs: SETTLED_AFTER * everyMs,
      unknown: unknownIn(states),
    })
    state = { ...state, alerts }
    for (const receiver of receivers) await notify(receiver, alerts, now)
    await keepWatchState(db, holder, state).catch(() => {}) // kept in memory, stored with the next round
  }

  return {
    job: { name: 'watch-product', everyMs, run },
    alerts: async () => {
      const { alerts } = state ?? (await readWatchState(db))
      return Object.values(alerts)
        .filter((alert) => isFiring(alert, clock.now()))
        .map(({ name, service, detail, since }) => {
          const command = commandFor({ name, service }, settings.runsIn)
          return { name, service, detail, since, ...(command !== undefined && { command }) }
        })
    },
  }
}

/** What was stored, and what a start without the database has added to it. */
const merged = (stored: WatchState, added: WatchState): WatchState => ({
  alerts: { ...stored.alerts, ...added.alerts },
  notified: Object.fromEntries(
    Object.keys({ ...stored.notified, ...added.notified }).map((receiver) => [
      receiver,
      { ...stored.notified[receiver], ...added.notified[receiver] },
    ]),
  ),
})
