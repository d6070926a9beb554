import type { Operation, ServiceName } from '@prelude/contracts'
import type { Readable } from 'node:stream'

/** So that a caller can still answer 503 within 5 s. */
export const CALL_TIMEOUT_MS = 4_000

/** What an operation is called with; `client` has its types. */
export interface OperationInput {
  readonly params?: Readonly<Record<string, string | number>>
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined
  readonly body?: unknown
}

export interface CallRequest {
  readonly method: string
  /** Path with its query. */
  readonly path: string
  readonly headers?: Record<string, string>
  /** A string is sent as it is. A stream that is destroyed before its end aborts the call. */
  readonly body?: string | Readable
  /** Any instance of the service can answer: it goes to the service's address for reads, where there is one. */
  readonly reads?: true
  /** The answer is a stream that its reader may hold for long: it takes no connection from other calls. */
  readonly answerIsStream?: true
  /** Time to the first byte of the response; CALL_TIMEOUT_MS if not given. */
  readonly timeoutMs?: number
}

export interface CallReply {
  readonly status: number
  readonly headers: Record<string, string>
  /** Destroying it ends the request at the other side. */
  readonly body: Readable
}

/** Calls to other services. Both reject with Unavailable when the service cannot be reached in time. */
export interface ServiceCall {
  /**
   * The answer of an operation, of which caller and handler share no object. Errors: its refusal, as an AppError with the same
   * code, detail and errors; a plain Error for a bug there.
   */
  invoke(service: ServiceName, operation: Operation, input: OperationInput): Promise<unknown>
  /** An HTTP request, streams both ways. Any status resolves. */
  call(service: ServiceName, request: CallRequest): Promise<CallReply>
}
