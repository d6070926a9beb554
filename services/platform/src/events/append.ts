import { type ServiceName, topicOf } from '@prelude/contracts'
import {
  type Appended,
  type DatabaseOptions,
  type EventWriter,
  type PostgresDatabase,
  postgresDatabase,
} from '../database/index.ts'
import type { Clock } from '../clock.ts'
import { newId } from '../ids.ts'
import { currentCause } from '../observability/index.ts'
import { inAppendSpan } from './spans.ts'

/** Events hold ids and facts. A larger one is refused when it is emitted, so that it cannot block consumers. */
const MAX_EVENT_BYTES = 64 * 1024

/** Writes events of one service into its log. Errors of `draft`: another service's event, or one over 64 KiB. */
function eventWriter(service: ServiceName, clock: Clock): EventWriter {
  const topic = topicOf(service)
  return {
    draft: ({ type, version, topic: itsTopic, for: services }, data, cause) => {
      if (itsTopic !== topic) throw new Error(`${type} is an event of ${itsTopic}, not of ${topic}`)
      const { correlationId, traceparent } = cause ?? currentCause() ?? { correlationId: newId() }
      const head = {
        id: newId(),
        key: data.uid,
        type,
        version,
        for: services,
        at: clock.now(),
        correlationId,
        ...(traceparent !== undefined && { traceparent }),
      }
      const json = JSON.stringify({ ...head, data })
      if (Buffer.byteLength(json) > MAX_EVENT_BYTES)
        throw new Error(`${type} has more than ${MAX_EVENT_BYTES} bytes`)
      return { type, data, json }
    },
    append: async (db, events) => {
      const json = `[${events.map((event) => event.json).join(',')}]`
      const { rows } = await inAppendSpan(topic, events.length, () =>
        db.query<Omit<Appended, 'events'>>('select * from append_and_locate($1)', [json]),
      )
      const [{ last, before } = { last: 0, before: null }] = rows
      return { events, last, before }
    },
  }
}

/** A service's database, whose transactions can emit. Its schema has the service's name. */
export const serviceDatabase = ({
  service,
  clock,
  ...options
}: Omit<DatabaseOptions, 'schema' | 'events'> & {
  readonly service: ServiceName
  readonly clock: Clock
}): PostgresDatabase => postgresDatabase({ ...options, schema: service, events: eventWriter(service, clock) })
