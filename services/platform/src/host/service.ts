import type { FastifyInstance } from 'fastify'
import type { ServiceSchema, Subscriber } from '../events/index.ts'
import type { Measures } from '../observability/index.ts'

/** Work that a service does on its own clock: `run` is called again at the next multiple of `everyMs`, since the process began. */
export interface Job {
  readonly name: string
  readonly everyMs: number
  /** Must return soon after `signal` aborts. Errors are logged; after one the next run is within a minute. */
  readonly run: (signal: AbortSignal) => Promise<void>
}

/** A service: what its host needs to run it, alone or beside the others in one process. */
export interface Service extends ServiceSchema {
  /** Registers the internal HTTP operations. */
  readonly routes: (app: FastifyInstance) => void | Promise<void>
  /** Its handlers of events of other services. */
  readonly subscribers: readonly Subscriber[]
  readonly jobs?: readonly Job[]
  /** Rules about its own tables; checked every hour. */
  readonly invariants?: readonly Invariant[]
  readonly measures?: Measures
  /** Facts for operators, beside those that the host reports; small, and no personal data. */
  readonly notes?: () => unknown
  readonly close?: () => Promise<void>
}

/** A sentence that must hold at any time; its queries run with the service's schema on the search path. */
export interface Invariant {
  readonly name: string
  /** The rows that are checked, to be counted: a table, or one with a condition. */
  readonly of: string
  /** Its rows are the breaches. `$1` is the time (ms since the epoch), where it is used. */
  readonly sql: string
}

/** The parameters of an invariant. */
export const timeIn = (sql: string, now: number): number[] => (sql.includes('$1') ? [now] : [])
