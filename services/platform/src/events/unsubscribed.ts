import { type ServiceName, type Topic, topicOf } from '@prelude/contracts'
import type { Query } from '../database/index.ts'
import type { Logger } from '../observability/index.ts'

/**
 * Marks the cursors of topics that this version does not subscribe to: they no longer keep old events from being removed. A version
 * that does subscribe takes the mark away; where both run, each sets its own again every hour. The service's own topic is that of
 * its forwarder.
 */
export const markUnsubscribed = (
  { db, logger }: { db: Query; logger: Logger },
  service: ServiceName,
  topics: readonly Topic[],
) => ({
  name: 'mark-unsubscribed',
  everyMs: 3_600_000,
  run: async (): Promise<void> => {
    const { rows } = await db.query<{ topic: Topic; unsubscribed: boolean }>(
      `update cursor set unsubscribed = not unsubscribed
       where unsubscribed = (topic = any($1::text[])) returning topic, unsubscribed`,
      [[...topics, topicOf(service)]],
    )
    const changed = (to: boolean): Topic[] => [
      ...new Set(rows.filter(({ unsubscribed }) => unsubscribed === to).map(({ topic }) => topic)),
    ]
    const [left, joined] = [changed(true), changed(false)]
    if (left.length > 0)
      logger.info(
        { topics: left },
        'topics are no longer subscribed to: their events are not kept for this service',
      )
    if (joined.length > 0) logger.info({ topics: joined }, 'topics are subscribed to again')
  },
})
