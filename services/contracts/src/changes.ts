import type { Song } from './api/songs.ts'

/** How often, and how many days after a delivery, the owner may ask for changes. */
export interface ChangesTerms {
  readonly changesIncluded: number
  readonly changesDays: number
}

const DAY_MS = 24 * 60 * 60_000

/** When the newest takes of a song arrived, in ms; a file that is replaced later does not move it. */
export const deliveredAt = ({ timeline }: Song): number | undefined =>
  timeline.findLast(({ state }) => state === 'delivered' || state === 'changes_delivered')?.at

/** The promise passed without a delivery, and the server has said so. */
export const isLate = ({ status, timeline }: Song): boolean =>
  status === 'pending' && timeline.some(({ state }) => state === 'late')

/** A delivered song that its owner can accept. */
export const canAccept = ({ status, acceptedAt, changes }: Song): boolean =>
  status === 'ready' && acceptedAt === null && changes?.state !== 'asked'

/** When owner and operator can no longer write about it, in ms; null while it is neither accepted nor closed. */
export function messagesEndAt(
  { acceptedAt, closedAt }: Pick<Song, 'acceptedAt' | 'closedAt'>,
  { messagesDays }: { readonly messagesDays: number },
): number | null {
  const endedAt = acceptedAt ?? closedAt
  return endedAt === null ? null : endedAt + Math.round(messagesDays * DAY_MS)
}

/** Until when its owner can ask for changes, in ms; then it counts as accepted. Null when no changes can be asked for. */
export function changesUntil(song: Song, { changesIncluded, changesDays }: ChangesTerms): number | null {
  const asked = song.timeline.filter(({ state }) => state === 'changes_asked').length
  const at = deliveredAt(song)
  const isOpen = canAccept(song) && song.charge !== 'refunded'
  return isOpen && asked < changesIncluded && at !== undefined ? at + changesDays * DAY_MS : null
}
