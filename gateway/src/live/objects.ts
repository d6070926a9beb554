import { fromCents } from '@prelude/contracts'
import { isCode } from '@prelude/platform'
import type { RouteDeps } from '../route-deps.ts'
import { paymentView, songView } from '../views.ts'
import type { Hint } from './hints.ts'
import { frameOf } from './stream.ts'

/** The object of a hint, as its receiver may see it. Rejects when its service does not answer. */
async function objectOf(deps: RouteDeps, hint: Hint, viewer: { isUnlocked: boolean }): Promise<unknown> {
  switch (hint.kind) {
    case 'song':
    case 'operator-song':
      return songView(await deps.songs.get({ params: { id: hint.id } }), viewer, deps.config)
    case 'credits':
      return { balance: fromCents(hint.balance ?? 0), version: hint.revision ?? 0 }
    case 'payment':
      return paymentView(await deps.payments.get({ params: { id: hint.id } }))
    case 'notice':
      return hint.notice ?? null
    case 'notices-read':
      return { before: hint.revision ?? 0 }
    case 'preferences':
      return deps.preferences.get({ params: { uid: hint.id } })
    case 'operator-transfer': {
      const { id, uid, status, createdAt } = await deps.payments.get({ params: { id: hint.id } })
      return { id, uid, email: (await deps.findUser(uid))?.email ?? null, status, createdAt }
    }
    case 'operator-debt': {
      const account = await deps.credits.account({ params: { uid: hint.id } })
      return { uid: account.uid, debt: fromCents(account.debtCents) }
    }
    default:
      return null
  }
}

const locked = new WeakMap<Hint, Promise<Buffer | null>>()
const unlocked = new WeakMap<Hint, Promise<Buffer | null>>()

/**
 * The server-sent event of a hint; null when there is nothing to send. All streams that received the same hint share one,
 * read after it and so at its revision or later.
 */
export function eventOf(
  deps: RouteDeps,
  hint: Hint,
  viewer: { isUnlocked: boolean },
): Promise<Buffer | null> {
  const events = viewer.isUnlocked ? unlocked : locked
  const known = events.get(hint)
  if (known) return known
  const made = objectOf(deps, hint, viewer).then((data) => (data === null ? null : frameOf(hint.kind, data)))
  events.set(hint, made)
  made.catch(() => events.delete(hint)) // to be tried again
  return made
}

export const isGone = (error: unknown): boolean =>
  isCode(error, 'song_not_found') || isCode(error, 'payment_not_found')
