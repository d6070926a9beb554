import type { Query } from '@prelude/platform'
import type { ActiveAlerts, Notified } from '../domain/watch.ts'

/** The state of the alerting, which outlives the process that runs it. */
export interface WatchState {
  readonly alerts: ActiveAlerts
  /** By receiver. */
  readonly notified: Readonly<Record<string, Notified>>
}

/** Takes or extends the lease until `until` and answers the state; null when another instance holds it. */
export async function holdWatch(
  db: Query,
  { holder, now, until }: { holder: string; now: number; until: number },
): Promise<WatchState | null> {
  const { rows } = await db.query<{ state: Partial<WatchState> }>(
    `insert into watch (holder, until) values ($1, $3)
     on conflict (one) do update set holder = $1, until = $3 where watch.holder = $1 or watch.until < $2
     returning state`,
    [holder, now, until],
  )
  return rows[0] ? whole(rows[0].state) : null
}

export async function readWatchState(db: Query): Promise<WatchState> {
  const { rows } = await db.query<{ state: Partial<WatchState> }>('select state from watch')
  return whole(rows[0]?.state ?? {})
}

const whole = ({ alerts = {}, notified = {} }: Partial<WatchState>): WatchState => ({ alerts, notified })

export async function keepWatchState(db: Query, holder: string, state: WatchState): Promise<void> {
  await db.query('update watch set state = $2 where holder = $1', [holder, JSON.stringify(state)])
}
