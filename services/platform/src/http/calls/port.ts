import type { ServiceName } from '@prelude/contracts'
import type { Readable } from 'node:stream'

/** So that a caller can still answer 503 within 5 s. */
export const CALL_TIMEOUT_MS = 4_000

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

/** An HTTP request to another service, streams both ways. */
export interface ServiceCall {
  /** Any status resolves; rejects with Unavailable when the service cannot be reached in time. */
  call(service: ServiceName, request: CallRequest): Promise<CallReply>
}
