import { fromCents, type Song } from '@prelude/contracts'
import { isCode } from '@prelude/platform'
import type { Parts } from '../parts.ts'
import { paymentView, songView } from '../views.ts'
import type { Hint } from './hints.ts'

/** What a hint is about, as its receiver sees it; null when there is nothing to send. Rejects when its owner does not answer. */
export async function objectOf(parts: Parts, hint: Hint, viewer: { isUnlocked: boolean }): Promise<unknown> {
  switch (hint.kind) {
    case 'song':
    case 'operator-song':
      return songView(await songOf(parts, hint), viewer)
    case 'credits':
      return { balance: fromCents(hint.balance ?? 0), version: hint.revision ?? 0 }
    case 'payment':
      return paymentView(await parts.payments.get({ params: { id: hint.id } }))
    case 'operator-transfer': {
      const { id, uid, status, createdAt } = await parts.payments.get({ params: { id: hint.id } })
      return { id, uid, email: (await parts.findUser(uid))?.email ?? null, status, createdAt }
    }
    case 'operator-debt': {
      const account = await parts.credits.account({ params: { uid: hint.id } })
      return { uid: account.uid, debt: fromCents(account.debtCents) }
    }
    default:
      return null
  }
}

const songs = new WeakMap<Hint, Promise<Song>>()

/** All streams that heard the same hint share one read, which began after it and so is at its revision or later. */
function songOf(parts: Parts, hint: Hint): Promise<Song> {
  const known = songs.get(hint)
  if (known) return known
  const read = parts.songs.get({ params: { id: hint.id } })
  songs.set(hint, read)
  read.catch(() => songs.delete(hint)) // to be tried again
  return read
}

export const isGone = (error: unknown): boolean =>
  isCode(error, 'song_not_found') || isCode(error, 'payment_not_found')
