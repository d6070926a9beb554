import type { Finding } from './rules.ts'

/** Something that is or was wrong; times in milliseconds since the epoch. */
export interface Standing {
  readonly name: string
  readonly service: string | null
  readonly detail: string
  /** When it was first seen. */
  readonly since: number
  readonly lastSeen: number
  /** When it has lasted long enough to be told. */
  readonly dueAt: number
}

export type Board = Readonly<Record<string, Standing>>

/** What one receiver knows of. */
export type Told = Readonly<
  Record<string, Pick<Standing, 'name' | 'service' | 'detail' | 'since'> & { at: number }>
>

export interface News {
  readonly firing: readonly Standing[]
  /** Told before, and still so. */
  readonly lasting: readonly Standing[]
  readonly resolved: readonly Told[string][]
}

const keyOf = ({ name, service, subject }: Finding): string => [name, service ?? '', subject].join(' ')

/**
 * What stands after a look. Something that is gone stays for `settleMs`, so that what comes and goes is one thing; what
 * belongs to a service of which nothing is known stays as it is.
 */
export function look(
  board: Board,
  findings: readonly Finding[],
  { now, settleMs, unknown }: { now: number; settleMs: number; unknown: ReadonlySet<string> },
): Board {
  const next: Record<string, Standing> = {}
  for (const [key, standing] of Object.entries(board)) {
    const isUnknown =
      standing.service !== null && unknown.has(standing.service) && standing.name !== 'PreludeServiceDown'
    if (isUnknown && isFiring(standing, now)) next[key] = { ...standing, lastSeen: now }
    else if (now - standing.lastSeen < settleMs && isFiring(standing, now)) next[key] = standing
  }
  for (const finding of findings) {
    const key = keyOf(finding)
    const { name, service, detail, forMs } = finding
    const since = board[key]?.since ?? now
    next[key] = { name, service, detail, since, lastSeen: now, dueAt: since + forMs }
  }
  return next
}

export const isFiring = ({ dueAt, lastSeen }: Standing, now: number): boolean =>
  now >= dueAt && lastSeen >= dueAt

/** What a receiver is to hear; null when there is nothing new, and nothing that is due to be said again. */
export function newsFor(
  told: Told,
  board: Board,
  { now, repeatMs }: { now: number; repeatMs: number },
): News | null {
  const standing = Object.entries(board).filter(([, one]) => isFiring(one, now))
  const firing = standing.flatMap(([key, one]) => (told[key] ? [] : [one]))
  const lasting = standing.flatMap(([key, one]) => (told[key] ? [one] : []))
  const resolved = Object.entries(told).flatMap(([key, one]) =>
    standing.some(([other]) => other === key) ? [] : [one],
  )
  const isDue = lasting.length > 0 && Object.values(told).every(({ at }) => now - at >= repeatMs)
  return firing.length + resolved.length > 0 || isDue ? { firing, lasting, resolved } : null
}

/** What the receiver knows once it has heard all that stands. */
export const toldAll = (board: Board, now: number): Told =>
  Object.fromEntries(
    Object.entries(board).flatMap(([key, one]) => {
      const { name, service, detail, since } = one
      return isFiring(one, now) ? [[key, { name, service, detail, since, at: now }]] : []
    }),
  )
