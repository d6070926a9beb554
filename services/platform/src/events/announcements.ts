import type { Topic } from '@prelude/contracts'
import { randomUUID } from 'node:crypto'
import type { PostgresDatabase } from '../database/database.ts'
import { coalescedNotify, listen } from '../database/notify.ts'
import type { Logger } from '../observability/logger.ts'

const CHANNEL = 'prelude_events'
/** Names this process, which needs no notice of its own appends. */
const SELF = randomUUID()

/** Announces to other processes that a topic's log has grown. Best effort: readers also poll. */
export function announcer(db: Pick<PostgresDatabase, 'query'>, topic: Topic, logger: Logger) {
  const notify = coalescedNotify(db, CHANNEL, logger)
  return { announce: () => notify(`${topic} ${SELF}`), stop: () => notify.stop() }
}

/** Calls `onAppended` for appends of other processes; with null when announcements may have been missed. */
export const announcements = (options: {
  url: string
  schema: string
  logger: Logger
  onAppended: (topic: string | null) => void
}): { stop(): Promise<void> } =>
  listen({
    ...options,
    channel: CHANNEL,
    onMessage: (message) => {
      const [topic = '', from] = message.split(' ')
      if (from !== SELF) options.onAppended(topic)
    },
    onConnect: () => options.onAppended(null),
  })
