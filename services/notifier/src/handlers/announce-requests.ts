import { CreditsCharged, CreditsDeclined } from '@prelude/contracts'
import { type Clock, onMany, type Subscriber } from '@prelude/platform'
import { queueMessages } from '../store/message.ts'
import { addNotices } from '../store/notice.ts'
import { announceRequests as announce, dropUnannounced } from '../store/unannounced-request.ts'

/**
 * A request is announced to the operator once credits has answered: at once, or beyond a number of one person within an hour
 * with the next digest.
 */
export const announceRequests = (clock: Clock): Subscriber[] => [
  onMany(CreditsCharged, async (events, tx) => {
    const now = clock.now()
    // a song that is charged at once is shown at once: only one that waited for credits is worth a mail and a notice
    const waited = events.filter(({ data }) => data.waited)
    if (waited.length > 0) {
      await dropUnannounced(
        tx,
        waited.map(({ data }) => data.songId),
        { onlyWaiting: true },
      )
      queueMessages(
        tx,
        waited.map((cause) => {
          const { uid, songId } = cause.data
          return { facts: { kind: 'song-cooking', uid, songId }, cause }
        }),
        now,
      )
      await addNotices(
        tx,
        waited.map((cause) => {
          const { uid, songId } = cause.data
          return { notice: { kind: 'charged', uid, songId }, cause }
        }),
        now,
      )
    }
    announce(tx, requestsOf(events, false), now)
  }),
  onMany(CreditsDeclined, async (events, tx) => announce(tx, requestsOf(events, true), clock.now())),
]

const requestsOf = <E extends { readonly data: { readonly uid: string; readonly songId: string } }>(
  events: readonly E[],
  waiting: boolean,
) => events.map((cause) => ({ request: { uid: cause.data.uid, songId: cause.data.songId, waiting }, cause }))
