import type { EventData, EventDefinition } from '@prelude/contracts'

export interface Rows<R> {
  readonly rows: R[]
  readonly rowCount: number
}

export interface Query {
  /** One prepared statement. `bigint` arrives as number, `jsonb` parsed. Errors: Unavailable when the server does not answer. */
  query<R = Record<string, unknown>>(sql: string, params?: readonly unknown[]): Promise<Rows<R>>
}

export interface Tx extends Query {
  /**
   * Tells the others, if and only if this transaction commits. Keyed by `data.uid`; the events of one key are numbered
   * and delivered in commit order. They are written at the end of the transaction, so that the key's lock is short.
   */
  emit<E extends EventDefinition>(event: E, data: EventData<E> & { uid: string }): void
}

export interface Database extends Query {
  /** Commits when `work` resolves, else rolls back and rethrows. Never call another service, SMTP or a store inside. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** For short reads: those of many callers share a connection, and wait for each other. */
  readonly reads: Query
  close(): Promise<void>
}
