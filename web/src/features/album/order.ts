import { deliveredAt, isLate, type Song } from '@prelude/contracts'

/** What the owner of a song may do with it now. It decides what is shown; the server decides what happens. */

type State = Song['timeline'][number]['state']

const steps = ({ timeline }: Song, ...states: readonly State[]) =>
  timeline.filter(({ state }) => states.includes(state))

const isStarted = ({ startedAt }: Song): boolean => startedAt !== null

/** When it will be ready; null when nothing is promised (any more). */
export const promiseOf = (song: Song): number | null =>
  song.status === 'pending' && (song.charge === 'charged' || song.charge === 'gift') ? song.promisedAt : null

/** A promise may come out so long after what the form said without a word about it. */
const UNSAID_MS = 60 * 60_000

/** What the form said of a song that was charged as it was sent, where the promise came out much later. */
export function saidEarlier(song: Song): number | null {
  const { readyBy } = song
  if (readyBy === null || isLate(song) || steps(song, 'waiting').length > 0) return null
  return (promiseOf(song) ?? 0) > readyBy + UNSAID_MS ? readyBy : null
}

export const canCancel = (song: Song): boolean =>
  song.status === 'pending' && song.charge !== 'deciding' && (!isStarted(song) || isLate(song))

/** Nothing more comes of it: it was cancelled or declined, or its credits came back before a delivery. */
export const isClosed = ({ status, charge }: Song): boolean =>
  status === 'cancelled' || status === 'declined' || (status === 'pending' && charge === 'refunded')

export const canCorrect = (song: Song): boolean => song.status === 'pending' && !isStarted(song)

/** A file was replaced after the newest delivery. */
export const replacedAt = (song: Song): number | null => {
  const arrivedAt = deliveredAt(song)
  return arrivedAt !== undefined && song.updatedAt !== null && song.updatedAt > arrivedAt
    ? song.updatedAt
    : null
}
