import type { EventData, EventDefinition } from '@prelude/contracts'

export interface Rows<R> {
  readonly rows: R[]
  readonly rowCount: number
}

export interface Query {
  /**
   * One prepared statement. `bigint` arrives as number, `jsonb` parsed. Errors: Unavailable when the server does not
   * answer, TimedOut when this statement took too long.
   */
  query<R = Record<string, unknown>>(sql: string, params?: readonly unknown[]): Promise<Rows<R>>
}

/** What caused an event: the correlation id of the request, and the span (W3C traceparent). */
export interface Cause {
  readonly correlationId: string
  readonly traceparent?: string | undefined
}

export interface Tx extends Query {
  /** A statement whose answer is not needed: the transaction goes on without it. If it fails, so does the commit, with its error. */
  execute(sql: string, params?: readonly unknown[]): void
  /**
   * Appends an event to the service's log if and only if this transaction commits. Its key is `data.uid`. Events of one
   * aggregate are ordered by the lock on the aggregate's row, so the caller holds that lock. `cause` is the current
   * context if not given. Errors: a plain Error for another service's event, or one over 64 KiB.
   */
  emit<E extends EventDefinition>(event: E, data: EventData<E> & { uid: string }, cause?: Cause): void
}

export interface TransactionOptions {
  /** Limit of each statement; 4 s if not given. */
  readonly statementTimeoutMs?: number
  /** Called after each answer of the server: the transaction makes progress. */
  readonly onAnswer?: () => void
}

export interface Database extends Query {
  /** Commits when `work` resolves, else rolls back and rethrows. Never call another service, SMTP or a store inside. */
  transaction<T>(work: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>
  close(): Promise<void>
}
