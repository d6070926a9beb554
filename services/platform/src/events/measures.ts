import { type Topic, TOPICS } from '@prelude/contracts'
import type { Clock } from '../clock.ts'
import type { Query } from '../database/index.ts'
import { counter, DURATION_BUCKETS, gauge, histogram, type Measures } from '../observability/index.ts'
import type { Outcome } from './attempt.ts'
import { countParked } from './dead-letters.ts'
import { ageSeconds, type Publisher, type Subscription } from './port.ts'

/** Counts events as they are emitted, forwarded and handled. `emits`: the types of events of this service. */
export function eventMeasures(emits: readonly string[]) {
  const handled = histogram({
    name: 'prelude_event_handling_duration_seconds',
    help: 'Duration of handling one event, by outcome (handled, parked).',
    labelNames: ['type', 'outcome'],
    buckets: DURATION_BUCKETS,
  })
  const emitted = counter(
    {
      name: 'prelude_events_emitted_total',
      help: 'Events appended to the event log.',
      labelNames: ['type'],
    },
    emits.map((type) => ({ type })),
  )
  const forwarded = counter({
    name: 'prelude_events_forwarded_total',
    help: 'Events that the broker took from this instance.',
  })
  const forged = counter(
    {
      name: 'prelude_events_forged_total',
      help: 'Messages in a topic that the service that owns it did not sign.',
      labelNames: ['topic'],
    },
    TOPICS.map((topic) => ({ topic })),
  )
  const leads = gauge({
    name: 'prelude_forwarder_leader',
    help: '1 in the one instance of a service that forwards its events to the broker.',
  })
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
  const backlog = gauge({
    name: 'prelude_event_backlog',
    help: 'Events not yet forwarded to the broker.',
  })
  const age = gauge({
    name: 'prelude_event_backlog_age_seconds',
    help: 'Age of the oldest event not yet forwarded to the broker.',
  })
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
  const parked = gauge({
    name: 'prelude_parked_keys',
    help: 'Keys parked behind a dead letter.',
    labelNames: ['topic'],
  })
  const dead = gauge({
    name: 'prelude_dead_letters',
    help: 'Events waiting in dead_letter.',
    labelNames: ['topic'],
  })
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
  const lag = gauge({
    name: 'prelude_consumer_lag',
    help: 'Events not yet handled by this service.',
    labelNames: ['topic'],
  })
  const attempt = gauge({
    name: 'prelude_consumer_last_attempt_timestamp_seconds',
    help: 'When the consumer last tried, to read events or to handle them.',
  })
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
