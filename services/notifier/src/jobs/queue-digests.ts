import { type Clock, type Database, type Job, newId } from '@prelude/platform'
import { queueMessages } from '../store/message.ts'
import { forgetAnnounced, takeUnannounced } from '../store/unannounced-request.ts'

const EVERY_MS = 60_000

/** Queues a mail about all unannounced requests of a person, an hour after the first of them: so at most once an hour. */
export const queueDigests = (db: Database, clock: Clock): Job => ({
  name: 'queue-digests',
  everyMs: EVERY_MS,
  run: () =>
    db.transaction(async (tx) => {
      const due = await takeUnannounced(tx, clock.now())
      await forgetAnnounced(tx, clock.now())
      queueMessages(
        tx,
        [...Map.groupBy(due, ({ uid }) => uid)].map(([uid, requests]) => {
          const idsOf = (isWaiting: boolean): string[] =>
            requests.filter(({ waiting }) => waiting === isWaiting).map(({ songId }) => songId)
          return {
            facts: { kind: 'requests-waiting', uid, songIds: idsOf(true), chargedIds: idsOf(false) },
            cause: { correlationId: newId() },
          }
        }),
        clock.now(),
      )
    }),
})
