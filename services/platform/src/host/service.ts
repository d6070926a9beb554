import type { EventDefinition, EventEnvelope } from '@prelude/contracts'
import type { FastifyInstance } from 'fastify'
import type { Measures } from '../observability/measures.ts'
import type { ServiceName } from '@prelude/contracts'
import type { Tx } from '../database/port.ts'

/**
 * What a service does with an event, in the transaction that also raises the inbox mark: effect and mark are one.
 * Throwing an AppError of kind `unavailable` means "try again"; any other error is permanent and parks the key.
 */
export type Handler<E extends EventDefinition> = (event: EventEnvelope<E>, tx: Tx) => Promise<void>

export interface Reaction {
  readonly event: EventDefinition
  readonly handle: Handler<EventDefinition>
  /** Nothing is to be done here with an event of which it says so; it raises its key's mark, as those of other types do. */
  readonly passes?: (data: EventEnvelope['data']) => boolean
}

/** Binds a handler to the event it consumes. */
export const on = <E extends EventDefinition>(
  event: E,
  handle: Handler<E>,
  passes?: (data: EventEnvelope<E>['data']) => boolean,
): Reaction => ({
  event,
  handle: handle as unknown as Handler<EventDefinition>,
  ...(passes && { passes: passes as Reaction['passes'] }),
})

/** Work that a service does on its own clock: `run` is called again `everyMs` after it ended, or at once after `wake`. */
export interface Job {
  readonly name: string
  readonly everyMs: number
  /** Must return soon after `signal` aborts. Errors are logged; the next round comes all the same, within a minute. */
  readonly run: (signal: AbortSignal) => Promise<void>
  /** Called once at start with a function that makes the job run at once. */
  readonly onWake?: (wake: () => void) => void
}

/** Where a service keeps its data: known without running it, for the step that makes it. */
export interface ServiceSchema {
  /** Its database schema. */
  readonly schema: string
  /** Folder of `0001-<what>.sql` files. */
  readonly migrations: URL
  /** Tables that its role may only read and insert into. */
  readonly appendOnly?: readonly string[]
}

/** A service: what its host needs to run it, alone or beside the others in one process. */
export interface Service extends ServiceSchema {
  readonly name: ServiceName
  /** Registers the internal HTTP operations. */
  readonly routes: (app: FastifyInstance) => void | Promise<void>
  readonly reactions: readonly Reaction[]
  /** How long its events may wait while a crowd of them comes, so that more are handled together; 0 if not given. */
  readonly patienceMs?: number
  /** While it says so, what this process would send of the part's events waits, so that its requests are answered first. */
  readonly requestsComeFirst?: () => boolean
  readonly jobs?: readonly Job[]
  /** What must hold of its own tables; looked at every hour. */
  readonly invariants?: readonly Invariant[]
  readonly measures?: Measures
  /** What this process has to tell the people who run it, beside what its host tells; small, and no personal data. */
  readonly notes?: () => unknown
  readonly close?: () => Promise<void>
}

/** A sentence that must hold at every moment; its queries run with the service's schema on the search path. */
export interface Invariant {
  readonly name: string
  /** What is looked at: a table, or one with a condition, to be counted. */
  readonly of: string
  /** Its rows are the breaches. */
  readonly sql: string
}
