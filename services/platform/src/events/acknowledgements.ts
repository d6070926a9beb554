import type { Topic } from '@prelude/contracts'
import type { Logger } from '../observability/logger.ts'
import type { Query } from '../database/port.ts'

/** Written so often at most: what is handled again after a crash is known by its marks. */
const EVERY_MS = 50
const RETRY_MS = 500

interface Place {
  readonly group: string
  readonly topic: Topic
  readonly position: number
}

/** How far groups have come, written for all readers of this process together. */
export interface Acknowledgements {
  raise(group: string, topic: Topic, position: number): void
  /** Resolves when all that was raised is in the table. */
  write(): Promise<void>
  stop(): Promise<void>
}

export function acknowledgements(db: Query, logger: Logger): Acknowledgements {
  const raised = new Map<string, Place>()
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()

  const writeAll = async (): Promise<void> => {
    const places = [...raised]
    if (places.length === 0) return
    await db.query(
      `update consumer_cursor c set position = place.position
       from unnest($1::text[], $2::text[], $3::bigint[]) as place (consumer_group, topic, position)
       where c.consumer_group = place.consumer_group and c.topic = place.topic and c.position < place.position`,
      [
        places.map(([, { group }]) => group),
        places.map(([, { topic }]) => topic),
        places.map(([, { position }]) => position),
      ],
    )
    for (const [key, place] of places) if (raised.get(key) === place) raised.delete(key)
  }
  const write = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    writing = writing.catch(() => {}).then(writeAll)
    return writing
  }
  const writeIn = (ms: number): void => {
    timer ??= setTimeout(() => {
      write().catch((error: Error) => {
        logger.debug({ err: error.message }, 'what was handled is acknowledged later')
        writeIn(RETRY_MS)
      })
    }, ms)
  }

  return {
    raise: (group, topic, position) => {
      raised.set(`${group} ${topic}`, { group, topic, position })
      writeIn(EVERY_MS)
    },
    write,
    stop: async () => {
      await write().catch(() => {})
      clearTimeout(timer)
    },
  }
}
