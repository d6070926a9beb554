import type { AlertName } from '@prelude/contracts'
import type { Finding } from './rules.ts'

/** An alert from its first finding until it is resolved; times in milliseconds since the epoch. */
interface ActiveAlert {
  readonly name: AlertName
  readonly service: string | null
  readonly detail: string
  /** The first finding. */
  readonly since: number
  readonly lastSeen: number
  /** When it has lasted long enough to fire. */
  readonly dueAt: number
}

export type ActiveAlerts = Readonly<Record<string, ActiveAlert>>

/** The alerts that one receiver was notified of. */
export type Notified = Readonly<
  Record<string, Pick<ActiveAlert, 'name' | 'service' | 'detail' | 'since'> & { at: number }>
>

export interface News {
  readonly firing: readonly ActiveAlert[]
  /** Notified before and still firing. */
  readonly lasting: readonly ActiveAlert[]
  readonly resolved: readonly Notified[string][]
}

const keyOf = ({ name, service, subject }: Finding): string => [name, service ?? '', subject].join(' ')

/**
 * The alerts after a round of checks. One without a finding stays active for `settleMs`, so that a flapping condition is one
 * alert; those of a service whose state is unknown stay as they are.
 */
export function updateAlerts(
  alerts: ActiveAlerts,
  findings: readonly Finding[],
  { now, settleMs, unknown }: { now: number; settleMs: number; unknown: ReadonlySet<string> },
): ActiveAlerts {
  const next: Record<string, ActiveAlert> = {}
  for (const [key, active] of Object.entries(alerts)) {
    const isUnknown =
      active.service !== null && unknown.has(active.service) && active.name !== 'PreludeServiceDown'
    if (isUnknown && isFiring(active, now)) next[key] = { ...active, lastSeen: now }
    else if (now - active.lastSeen < settleMs && isFiring(active, now)) next[key] = active
  }
  for (const finding of findings) {
    const key = keyOf(finding)
    const { name, service, detail, forMs } = finding
    const since = alerts[key]?.since ?? now
    next[key] = { name, service, detail, since, lastSeen: now, dueAt: since + forMs }
  }
  return next
}

export const isFiring = ({ dueAt, lastSeen }: ActiveAlert, now: number): boolean =>
  now >= dueAt && lastSeen >= dueAt

/** The next notification of a receiver; null when nothing is new or due to be repeated. */
export function newsFor(
  notified: Notified,
  alerts: ActiveAlerts,
  { now, repeatMs }: { now: number; repeatMs: number },
): News | null {
  const active = Object.entries(alerts).filter(([, one]) => isFiring(one, now))
  const firing = active.flatMap(([key, one]) => (notified[key] ? [] : [one]))
  const lasting = active.flatMap(([key, one]) => (notified[key] ? [one] : []))
  const resolved = Object.entries(notified).flatMap(([key, one]) =>
    active.some(([other]) => other === key) ? [] : [one],
  )
  const isDue = lasting.length > 0 && Object.values(notified).every(({ at }) => now - at >= repeatMs)
  return firing.length + resolved.length > 0 || isDue ? { firing, lasting, resolved } : null
}

/** The state of a receiver that was notified of all firing alerts. */
export const notifiedOfAll = (alerts: ActiveAlerts, now: number): Notified =>
  Object.fromEntries(
    Object.entries(alerts).flatMap(([key, one]) => {
      const { name, service, detail, since } = one
      return isFiring(one, now) ? [[key, { name, service, detail, since, at: now }]] : []
    }),
  )
