import type { EventEnvelope, ServiceName } from '@prelude/contracts'
import type { Database, TransactionOptions, Tx } from '../database/index.ts'
import { type Move, moveCursor, type Partition } from './cursor.ts'
import { insertDeadLetter, parkUnknown } from './dead-letters.ts'
import { assertReadable } from './envelope.ts'
import type { Subscriber } from './handler.ts'
import { isFor } from './recipients.ts'
import { runsOf } from './runs.ts'
import { inHandleSpan } from './spans.ts'

export type Outcome = 'handled' | 'parked'

type Handling = ReturnType<typeof createHandling>

/** Runs a service's handlers. */
export function createHandling(service: ServiceName, list: readonly Subscriber[]) {
  const subscribers = new Map(list.map((one) => [kindOf(one.event), one]))
  return {
    /** Whether the event is for this service. */
    concerns: (event: EventEnvelope): boolean => isFor(service, event),
    /** Whether the service has a handler for its type and version. */
    hasHandler: (event: EventEnvelope): boolean => subscribers.has(kindOf(event)),
    /** Runs the handler of events of one type and version; throws what it throws. */
    handle: async (tx: Tx, events: readonly EventEnvelope[]): Promise<void> => {
      const [first] = events
      const subscriber = first && subscribers.get(kindOf(first))
      if (!subscriber) return
      for (const event of events) assertReadable(subscriber.event, event)
      const runs = subscriber.isBatch ? [events] : events.map((event) => [event])
      for (const run of runs) await inHandleSpan(service, run, (some) => subscriber.handle(some, tx))
    },
  }
}

const kindOf = ({ type, version }: Pick<EventEnvelope, 'type' | 'version'>): string => `${type} ${version}`

/**
 * Handles a batch in one transaction with its cursor: all of it or nothing. An event for the service without a handler parks
 * its key, and waits for a version that has one. Events of a parked key become dead letters behind the one that parked it.
 * Answers the outcome of the events that are for the service. Errors: CursorMoved, and those of handlers.
 */
export const attempt = (
  db: Database,
  { concerns, hasHandler, handle }: Handling,
  { partition, move, events }: { partition: Partition; move: Move; events: readonly EventEnvelope[] },
  limits?: TransactionOptions,
): Promise<ReadonlyMap<EventEnvelope, Outcome>> =>
  db.transaction(async (tx) => {
    const { topic } = partition
    const relevant = events.filter(concerns)
    const keys = new Set(relevant.map(({ key }) => key))
    const parked = new Set(await moveCursor(tx, partition, move, [...keys]))
    const handled = new Set<EventEnvelope>()
    for (const event of relevant) {
      if (parked.has(event.key))
        await insertDeadLetter(tx, topic, event, 'an earlier event of this key is parked')
      else if (hasHandler(event)) handled.add(event)
      else {
        await parkUnknown(tx, topic, event)
        parked.add(event.key)
      }
    }
    for (const run of runsOf([...handled])) await handle(tx, run)
    return new Map(relevant.map((event) => [event, handled.has(event) ? 'handled' : 'parked']))
  }, limits)
