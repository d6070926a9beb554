import { type Topic, TOPICS } from '@prelude/contracts'
import type { Clock } from '../clock.ts'
import type { Query } from '../database/index.ts'
import { counter, DURATION_BUCKETS, gauge, histogram, type Measures } from '../observability/index.ts'
import type { Outcome } from './attempt.ts'
import { countParked } from './dead-letters.ts'
import { ageSeconds, type Publisher, type Subscription } from './port.ts'

/** Counts events as they are emitted, forwarded and handled. `emits`: the types of events of this service. */
export function eventMeasures(emits: readonly string[]) {
  const handled = histogram(
    'prelude_event_handling_duration_seconds',
    'Duration of handling one event, by outcome (handled, parked).',
    DURATION_BUCKETS,
    ['type', 'outcome'],
  )
  const emitted = counter(
    'prelude_events_emitted_total',
    'Events appended to the event log.',
    ['type'],
    emits.map((type) => ({ type })),
  )
  const forwarded = counter(
    'prelude_events_forwarded_total',
    'Events that the broker took from this instance.',
  )
  const forged = counter(
    'prelude_events_forged_total',
    'Messages in a topic that the service that owns it did not sign.',
    ['topic'],
    TOPICS.map((topic) => ({ topic })),
  )
  const leads = gauge(
    'prelude_forwarder_leader',
    '1 in the one instance of a service that forwards its events to the broker.',
  )
  return {
    metrics: [handled, emitted, forwarded, forged, leads],
    /** Events whose transaction has committed. */
    countEmitted: (types: readonly string[]): void => {
      for (const type of types) emitted.inc({ type })
    },
    /** Events that the broker acknowledged; whether this instance is the one that forwards. */
    countForwarded: (events: number): void => forwarded.inc(events),
    setLeads: (isLeader: boolean): void => leads.set(isLeader ? 1 : 0),
    countForged: (topic: Topic): void => forged.inc({ topic }),
    observe: (type: string, outcome: Outcome, seconds: number): void =>
      handled.observe({ type, outcome }, seconds),
  }
}

export function backlogMeasures(publisher: Publisher, clock: Clock): Measures {
  const backlog = gauge('prelude_event_backlog', 'Events not yet forwarded to the broker.')
  const age = gauge(
    'prelude_event_backlog_age_seconds',
    'Age of the oldest event not yet forwarded to the broker.',
  )
  return {
    metrics: [backlog, age],
    read: async () => {
      const waiting = await publisher.backlog()
      if (!waiting) return
      backlog.set(waiting.events)
      age.set(ageSeconds(waiting, clock.now()))
    },
  }
}

export function parkedMeasures(db: Query, topics: readonly Topic[], clock: Clock): Measures {
  const parked = gauge('prelude_parked_keys', 'Keys parked behind a dead letter.', ['topic'])
  const dead = gauge('prelude_dead_letters', 'Events waiting in dead_letter.', ['topic'])
  return {
    metrics: [parked, dead],
    read: async () => {
      const { parkedKeys, deadLetters } = await countParked(db, clock.now())
      for (const topic of new Set([...topics, ...Object.keys(deadLetters)])) {
        parked.set({ topic }, parkedKeys[topic] ?? 0)
        dead.set({ topic }, deadLetters[topic] ?? 0)
      }
    },
  }
}

export function consumerMeasures(
  subscription: Subscription | null,
  topics: readonly Topic[],
  clock: Clock,
): readonly Measures[] {
  const lag = gauge('prelude_consumer_lag', 'Events not yet handled by this service.', ['topic'])
  const attempt = gauge(
    'prelude_consumer_last_attempt_timestamp_seconds',
    'When the consumer last tried, to read events or to handle them.',
  )
  return [
    {
      metrics: [lag],
      read: async () => {
        await Promise.all(
          topics.map(async (topic) => subscription && lag.set({ topic }, await subscription.lag(topic))),
        )
      },
    },
    {
      metrics: [attempt],
      read: async () => {
        if (subscription) attempt.set((clock.now() - subscription.sinceAttemptMs()) / 1000)
      },
    },
  ]
}
