import {
  creditsApi,
  type EventData,
  type EventDefinition,
  type EventEnvelope,
  PaymentSucceeded,
} from '@prelude/contracts'
import { newId, type Subscriber } from '@prelude/platform'
import { type TestService, testService } from '@prelude/platform/testing'
import { createCredits, creditsInvariants } from '../src/index.ts'

/** The credits service on a database of its own. */
export const startCredits = (startingCreditsCents = 0): Promise<TestService> =>
  testService(({ db, clock }) => createCredits({ db, clock, config: { startingCreditsCents } }))

export const accountOf = (credits: TestService, uid: string) =>
  credits.api(creditsApi).account({ params: { uid } })

/** The whole statement as [amount, reason, reference], oldest first. */
export async function statementOf(credits: TestService, uid: string) {
  const { items } = await credits.api(creditsApi).entries({ params: { uid }, query: { limit: 100 } })
  return items.toReversed().map((entry) => [entry.amountCents, entry.reason, entry.reference])
}

/** What was emitted about this person, as [type, data]. */
export async function emittedOf(credits: TestService, uid: string) {
  const envelopes = await credits.emitted()
  return envelopes.filter((envelope) => envelope.key === uid).map(({ type, data }) => [type, data] as const)
}

export const topUp = (
  credits: TestService,
  uid: string,
  paymentId: string,
  creditsCents: number,
  method = 'card',
) => credits.deliver(PaymentSucceeded, { uid, paymentId, credits: creditsCents, method })

/** Runs the handler past the consumer: a command that is repeated under a new event id, or many of one person at once. */
export async function handle<E extends EventDefinition>(
  credits: TestService,
  event: E,
  data: EventData<E> & { uid: string },
): Promise<void> {
  const subscriber = subscriberTo(credits, event)
  await credits.db.transaction((tx) => subscriber.handle([envelopeOf(event, data)], tx))
}

export function subscriberTo(credits: TestService, event: EventDefinition): Subscriber {
  const subscriber = credits.service.subscribers.find((one) => one.event.type === event.type)
  if (!subscriber) throw new Error(`credits does not consume ${event.type}`)
  return subscriber
}

/** Under an id of its own. */
export function envelopeOf<E extends EventDefinition>(
  { type, version, topic }: E,
  data: EventData<E> & { uid: string },
): EventEnvelope {
  const ids = { id: newId(), correlationId: newId(), key: data.uid, position: 1, at: Date.now() }
  return { type, version, topic, ...ids, data }
}

/** The names of the invariants that do not hold, and `parked` when an event could not be handled. */
export async function breaches(credits: TestService): Promise<string[]> {
  const found: string[] = []
  for (const { name, sql } of creditsInvariants) {
    const { rows } = await credits.admin.query(sql)
    if (rows.length > 0) found.push(name)
  }
  const { rows } = await credits.admin.query('select error from dead_letter')
  return rows.length > 0 ? [...found, 'parked'] : found
}
