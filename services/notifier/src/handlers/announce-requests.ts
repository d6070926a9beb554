import { CreditsCharged, CreditsDeclined, type EventEnvelope } from '@prelude/contracts'
import { type Clock, onMany, type Subscriber, type Tx } from '@prelude/platform'
import { countWaitingAnnounced, queueMessages } from '../store/message.ts'
import { addNotices } from '../store/notice.ts'
import {
  dropUnannounced,
  findHandled,
  keepUnannounced,
  type UnannouncedRequest,
} from '../store/unannounced-request.ts'

const HOUR_MS = 60 * 60_000
/** More waiting requests of one person within an hour become one digest: paying for none of them must not fill a mailbox. */
const ONE_BY_ONE = 5

/**
 * A request is announced to the operator once credits has answered: a charged one at once, one that waits for credits at
 * once or with the next digest.
 */
export const announceRequests = (clock: Clock): Subscriber[] => [
  onMany(CreditsCharged, async (events, tx) => {
    queueMessages(
      tx,
      events.flatMap((cause) => {
        const { uid, songId, waited } = cause.data
        return [
          { facts: { kind: 'song-requested', uid, songId, waiting: false } as const, cause },
          // a song that is charged at once is shown at once: only one that waited for credits is worth a mail and a notice
          ...(waited ? [{ facts: { kind: 'song-cooking', uid, songId } as const, cause }] : []),
        ]
      }),
      clock.now(),
    )
    const waited = events.filter(({ data }) => data.waited)
    if (waited.length === 0) return
    await dropUnannounced(
      tx,
      waited.map(({ data }) => data.songId),
    )
    await addNotices(
      tx,
      waited.map((cause) => ({
        notice: { kind: 'charged', uid: cause.data.uid, songId: cause.data.songId },
        cause,
      })),
      clock.now(),
    )
  }),
  onMany(CreditsDeclined, (events, tx) => announceWaiting(events, tx, clock.now())),
]

async function announceWaiting(
  events: readonly EventEnvelope<typeof CreditsDeclined>[],
  tx: Tx,
  now: number,
): Promise<void> {
  const handled = await findHandled(
    tx,
    events.map(({ data }) => data.songId),
  )
  const fresh = events.filter(({ data }) => !handled.has(data.songId))
  if (fresh.length === 0) return
  const uids = [...new Set(fresh.map(({ data }) => data.uid))]
  const announced = await countWaitingAnnounced(tx, uids, now - HOUR_MS)
  const later: UnannouncedRequest[] = []
  const atOnce = fresh.filter(({ data: { uid, songId } }) => {
    const count = (announced.get(uid) ?? 0) + 1
    announced.set(uid, count)
    if (count > ONE_BY_ONE) later.push({ uid, songId })
    return count <= ONE_BY_ONE
  })
  queueMessages(
    tx,
    atOnce.map((cause) => {
      const { uid, songId } = cause.data
      return { facts: { kind: 'song-requested', uid, songId, waiting: true }, cause }
    }),
    now,
  )
  if (later.length > 0) await keepUnannounced(tx, later, now)
}
