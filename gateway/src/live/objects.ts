import { type DraftRemoved, fromCents } from '@prelude/contracts'
import { isCode } from '@prelude/platform'
import type { FindUser } from '../accounts/store/users.ts'
import { withTitles } from '../accounts/notices.ts'
import type {
  CreditsClient,
  DraftsClient,
  PaymentsClient,
  PreferencesClient,
  SongsClient,
} from '../api/clients.ts'
import type { Hint } from '../api/hints.ts'
import type { GatewayConfig } from '../config.ts'
import { paymentView } from '../money/views.ts'
import type { SongReads } from '../songs/song-reads.ts'
import { songView } from '../songs/views.ts'
import { frameOf } from './stream.ts'

export type EventDeps = {
  config: GatewayConfig
  credits: CreditsClient
  drafts: DraftsClient
  findUser: FindUser
  payments: PaymentsClient
  preferences: PreferencesClient
  songs: SongsClient
  songReads: SongReads
}

/**
 * The server-sent event of a hint; null when there is nothing to send. All streams that received the same hint share one,
 * read after it and so at its revision or later. Rejects when the object's service does not answer.
 */
export type EventOf = (hint: Hint, viewer: Viewer) => Promise<Buffer | null>

interface Viewer {
  readonly isUnlocked: boolean
}

export function eventReader(deps: EventDeps): EventOf {
  const locked = new WeakMap<Hint, Promise<Buffer | null>>()
  const unlocked = new WeakMap<Hint, Promise<Buffer | null>>()
  return (hint, viewer) => {
    const events = viewer.isUnlocked ? unlocked : locked
    const known = events.get(hint)
    if (known) return known
    const made = objectOf(deps, hint, viewer).then((data) =>
      data === null ? null : frameOf(hint.kind, data),
    )
    events.set(hint, made)
    made.catch(() => events.delete(hint)) // to be tried again
    return made
  }
}

async function objectOf(deps: EventDeps, hint: Hint, viewer: Viewer): Promise<unknown> {
  switch (hint.kind) {
    case 'song':
    case 'operator-song': {
      const song = await deps.songReads.read(hint.id, hint.revision ?? 0)
      const owner = hint.kind === 'song' && { uid: song.uid }
      return songView(song, { ...viewer, ...owner }, deps.config)
    }
    case 'credits':
      return { balance: fromCents(hint.balance ?? 0), version: hint.revision ?? 0 }
    case 'payment':
      return paymentView(await deps.payments.get({ params: { id: hint.id } }))
    case 'notice':
      return hint.notice ? (await withTitles(deps, [hint.notice]))[0] : null
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
    case 'operator-draft':
      return deps.drafts.get({ params: { id: hint.id } }).catch((error: unknown): DraftRemoved => {
        if (!isCode(error, 'draft_not_found')) throw error
        return { id: hint.id, songId: hint.songId ?? '', state: 'removed' }
      })
    case 'signed-out':
    case 'locked':
      return null // of the stream itself
    default:
      hint.kind satisfies never
      return null // from an instance of a newer version
  }
}

export const isGone = (error: unknown): boolean =>
  isCode(error, 'song_not_found') || isCode(error, 'payment_not_found')
