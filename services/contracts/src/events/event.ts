import { SERVICE_NAMES, type ServiceName } from '../services.ts'
import { type Static, type TObject, Type } from 'typebox'

/** The topic of a service: all that it emits. */
export type Topic = `prelude.${ServiceName}`
export const topicOf = (service: ServiceName): Topic => `prelude.${service}`
/** The service that owns a topic. */
export const ownerOf = (topic: Topic): ServiceName => topic.slice('prelude.'.length) as ServiceName
export const TOPICS: readonly Topic[] = SERVICE_NAMES.map(topicOf)

/** One kind of event: a fact that a service announces to the others. `data` holds ids and facts, never texts or addresses. */
export interface EventDefinition<Name extends string = string, Data extends TObject = TObject> {
  readonly type: Name
  /** Raised when `data` changes in a way old readers cannot take. Each version is a definition of its own. */
  readonly version: number
  /** Every service emits on one topic; events are keyed by the person's uid. */
  readonly topic: Topic
  /** The services that have a handler for it: there it is never passed over. A test compares it with them. */
  readonly for: readonly ServiceName[]
  /** One line for docs/events.md. */
  readonly summary: string
  readonly data: Data
}

export type EventData<E extends EventDefinition> = Static<E['data']>

/** An event in its service's log, and on the bus. Times are milliseconds since the epoch. */
export interface EventEnvelope<E extends EventDefinition = EventDefinition> {
  readonly id: string
  readonly type: E['type']
  readonly version: number
  readonly topic: Topic
  readonly key: string
  /** The services that it matters to, as its emitter knew them. Events of 0.1.0 do not say it. */
  readonly for?: readonly ServiceName[]
  /** In the log of the service: rises with each event, not without gaps. */
  readonly position: number
  readonly at: number
  /** The request that led to this event; copied to every event that follows from it. */
  readonly correlationId: string
  /** W3C: the span that emitted it; only while traces are on. */
  readonly traceparent?: string
  readonly data: EventData<E>
}

export function defineEvent<const Name extends string, Data extends TObject>(
  topic: Topic,
  type: Name,
  { for: services, version = 1 }: Pick<EventDefinition, 'for'> & { version?: number },
  summary: string,
  data: Data,
): EventDefinition<Name, Data> {
  return Object.freeze({ type, version, topic, for: services, summary, data })
}

export const Id = Type.String({ minLength: 1, maxLength: 200 })
/** Integer hundredths. */
export const Cents = Type.Integer()
export const Revision = Type.Integer({ minimum: 1 })
/** The account after the posting: balance in hundredths, and a version that grows with every change. */
export const AfterPosting = { balance: Type.Integer({ minimum: 0 }), version: Type.Integer({ minimum: 0 }) }
