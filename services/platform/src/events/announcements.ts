import type { Topic } from '@prelude/contracts'
import { coalescedNotify, listen, type PostgresDatabase } from '../database/index.ts'
import type { Logger } from '../observability/index.ts'

const CHANNEL = 'prelude_events'
/** Announces to other processes that a topic's log has grown. Best effort: readers also poll. */
export function announcer(
  db: Pick<PostgresDatabase, 'query'>,
  { self, topic, logger }: { self: string; topic: Topic; logger: Logger },
) {
  const notify = coalescedNotify(db, CHANNEL, logger)
  return { announce: () => notify(`${topic} ${self}`), stop: () => notify.stop() }
}

/** Calls `onAppended` for appends that other processes announce; with null when announcements may have been missed. */
export const announcements = (options: {
  self: string
  url: string
  schema: string
  logger: Logger
  onAppended: (topic: Topic | null) => void
}): { stop(): Promise<void> } =>
  listen({
    ...options,
    channel: CHANNEL,
    onMessage: (message) => {
      const [topic = '', from] = message.split(' ')
      if (from !== options.self) options.onAppended(topic as Topic)
    },
    onConnect: () => options.onAppended(null),
  })
