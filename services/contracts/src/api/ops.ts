import { type Static, Type } from 'typebox'
import { ClientError } from './client-errors.ts'
import { Alert, Message } from './notifier.ts'
import { SERVICE_NAMES } from '../services.ts'
import { defineApi, Nullable, OneOf, Time } from './operation.ts'
import { WebVitalSummary } from './web-vitals.ts'

/** The state that every service reports through its host, the same for all services. */

/** A server or provider, as one instance of a service sees it. */
export const DependencyState = Type.Object({
  name: Type.String(),
  /** `degraded`: work waits, requests go on; `down`: this service cannot answer without it. */
  state: OneOf('ok', 'degraded', 'down'),
  /** As far as the instance has seen. */
  since: Time,
})
export type DependencyState = Static<typeof DependencyState>

/** One running process of a service, as it last reported. */
export const InstanceReport = Type.Object({
  /** Host name and internal port. */
  id: Type.String(),
  pid: Type.Integer(),
  startedAt: Time,
  seenAt: Time,
  dependencies: Type.Array(DependencyState),
  /** It forwards the service's events to the broker. */
  leads: Type.Boolean(),
  /** When its consumer last tried to read; null for services that handle no events. */
  attemptAt: Nullable(Time),
  connections: Type.Object({
    used: Type.Integer(),
    most: Type.Integer(),
    waiting: Type.Integer(),
  }),
  /** Jobs whose last runs failed. */
  failingJobs: Type.Array(
    Type.Object({ name: Type.String(), failures: Type.Integer(), error: Type.String() }),
  ),
  /** Further state of this service, of its own shape. */
  notes: Type.Unknown(),
})
export type InstanceReport = Static<typeof InstanceReport>

/** An instance reports every 10 s; it counts as silent after this time without a report. */
export const SILENT_AFTER_MS = 35_000

/** Events not handled yet, by topic; lag is null while the bus does not answer. */
export const TopicState = Type.Object({
  topic: Type.String(),
  lag: Nullable(Type.Integer()),
  deadLetters: Type.Integer(),
  parkedKeys: Type.Integer(),
})

/** The event that a parked key waits behind. */
export const DeadLetter = Type.Object({
  id: Type.Integer(),
  topic: Type.String(),
  key: Type.String(),
  /** Null when the message could not be read. */
  position: Nullable(Type.Integer()),
  type: Nullable(Type.String()),
  error: Type.String(),
  /** It is replayed automatically by the first version of the service that has a handler for it. Missing in answers of 0.1.0. */
  newer: Type.Optional(Type.Boolean()),
  at: Time,
  /** Later events of the key that wait behind it. */
  behind: Type.Integer(),
  /** It is being handled again. */
  replaying: Type.Boolean(),
})
export type DeadLetter = Static<typeof DeadLetter>

export const ServiceState = Type.Object({
  /** All that have reported within the last minutes; a silent one keeps its last report. */
  instances: Type.Array(InstanceReport),
  /** Events not yet forwarded to the broker; null without a broker, and while the database does not answer. */
  backlog: Nullable(Type.Object({ events: Type.Integer(), ageSeconds: Type.Number() })),
  topics: Type.Array(TopicState),
  /** The oldest 50, one a parked key; null while the database does not answer. */
  deadLetters: Nullable(Type.Array(DeadLetter)),
  /** Gauges of the service's own, by name and labels: `prelude_mails_failed`, `prelude_songs_pending{charge="charged"}`. */
  gauges: Type.Record(Type.String(), Type.Number()),
})
export type ServiceState = Static<typeof ServiceState>

/** How a dead letter was settled, or that it will be handled again. */
export const LetterOutcome = Type.Object({ outcome: OneOf('requested', 'replayed', 'discarded') })

/** Answered by the host of every service. */
export const opsApi = defineApi({
  state: { method: 'GET', path: '/ops', reply: ServiceState, callers: ['notifier'] },
  /** Handles the events of this letter's key again, in order. */
  replay: { method: 'POST', path: '/ops/dead-letters/:id/replay', reply: LetterOutcome },
  /** Gives the event up: what waited behind it is handled. Only the first of a key can be. */
  discard: { method: 'POST', path: '/ops/dead-letters/:id/discard', reply: LetterOutcome },
  replayAll: {
    method: 'POST',
    path: '/ops/dead-letters/replay',
    reply: Type.Object({ keys: Type.Integer() }),
  },
})

/** A slow request at the gateway: the pattern of its route, never its URL. */
export const SlowRequest = Type.Object({
  at: Time,
  method: Type.String(),
  route: Nullable(Type.String()),
  status: Type.Integer(),
  /** To the first byte of the answer. */
  ms: Type.Integer(),
  requestId: Type.String(),
})

/** A code that requests were refused with. */
export const RecentProblem = Type.Object({
  code: Type.String(),
  status: Type.Integer(),
  /** Since the process started. */
  count: Type.Integer(),
  /** Of the last one. */
  at: Time,
  route: Nullable(Type.String()),
  requestId: Type.String(),
})

const { notes: _notes, ...instance } = InstanceReport.properties
const { deadLetters: _letters, instances: _instances, ...state } = ServiceState.properties
const by = { instance: Type.String() }

export const OpsService = Type.Object({
  service: OneOf(...SERVICE_NAMES),
  /** `down`: it does not answer, or cannot answer anybody. */
  state: OneOf('ok', 'degraded', 'down'),
  /** `silent`: it has not reported for a while. */
  instances: Type.Array(Type.Object({ ...instance, silent: Type.Boolean() })),
  ...state,
})
export type OpsService = Static<typeof OpsService>

/** The state of the whole product at one moment, for the operations page. */
export const Ops = Type.Object({
  at: Time,
  services: Type.Array(OpsService),
  deadLetters: Type.Array(Type.Object({ service: OneOf(...SERVICE_NAMES), ...DeadLetter.properties })),
  /** Pending and failed mails, then the last ones sent; null while the notifier does not answer. */
  mails: Nullable(
    Type.Array(
      Type.Object({
        ...Message.properties,
        /** The person's address, masked; null when it goes to the operator, or to nobody who is known any more. */
        to: Nullable(Type.String()),
        /** The song's title or style as it is now; null where it is not about a song, or while songs does not answer. */
        title: Nullable(Type.String()),
      }),
    ),
  ),
  alerts: Type.Array(Alert),
  slow: Type.Array(Type.Object({ ...by, ...SlowRequest.properties })),
  problems: Type.Array(Type.Object({ ...by, ...RecentProblem.properties })),
  /** Errors in browsers, the latest first; null while the database does not answer. */
  clientErrors: Nullable(Type.Array(ClientError)),
  /** What browsers measured, whatever the page. */
  webVitals: Type.Array(WebVitalSummary),
})
export type Ops = Static<typeof Ops>
