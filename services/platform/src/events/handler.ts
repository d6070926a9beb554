import type { EventDefinition, EventEnvelope } from '@prelude/contracts'
import type { Tx } from '../database/index.ts'
import { context } from '../observability/index.ts'

/**
 * What a service does with an event, in the transaction that also moves its cursor: the effect happens once. Throwing an
 * AppError of kind `unavailable` means "try again"; any other error is permanent and parks the event's key.
 */
export type Handler<E extends EventDefinition> = (event: EventEnvelope<E>, tx: Tx) => Promise<void>

/**
 * The same for several events of one type at once, for hot handlers; those of one key are in order. Called with a
 * single event when a batch failed. Give each event as the `cause` of what it emits.
 */
export type BatchHandler<E extends EventDefinition> = (
  events: readonly EventEnvelope<E>[],
  tx: Tx,
) => Promise<void>

export interface Subscriber {
  readonly event: EventDefinition
  readonly handle: BatchHandler<EventDefinition>
  /** `handle` is a batch handler, not one that is called for each event. */
  readonly isBatch: boolean
}

/**
 * Binds a handler to the event it consumes: one type and version. A subscription begins with the first event whose emitter
 * names this service (`for` of its definition), so events from before it was added are never handled, on any topic.
 */
export const on = <E extends EventDefinition>(event: E, handle: Handler<E>): Subscriber =>
  subscriber(event, false, async (events, tx) => {
    // log lines and events of the handler have the correlation id of the event
    for (const one of events) await context.run({ correlationId: one.correlationId }, () => handle(one, tx))
  })

/** The same for a batch handler. */
export const onMany = <E extends EventDefinition>(event: E, handle: BatchHandler<E>): Subscriber =>
  subscriber(event, true, handle)

const subscriber = <E extends EventDefinition>(
  event: E,
  isBatch: boolean,
  handle: BatchHandler<E>,
): Subscriber => ({ event, isBatch, handle: handle as unknown as BatchHandler<EventDefinition> })
