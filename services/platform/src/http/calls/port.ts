import type { ServiceName } from '@prelude/contracts'
import type { Readable } from 'node:stream'
import type { Answer } from '../answers.ts'
import type { Question } from './question.ts'

export interface CallRequest {
  readonly method: string
  /** Path with its query. */
  readonly path: string
  readonly headers?: Record<string, string>
  /** A string is sent as it is. */
  readonly body?: string | Readable
  readonly signal?: AbortSignal
  /** Time to the first byte of the answer; 4 s if not given, so that a caller can still answer 503 within 5 s. */
  readonly timeoutMs?: number
}

export interface CallReply {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: Readable
}

export interface ServiceCall {
  /** Any status resolves; rejects with Unavailable when the part cannot be reached in time. Streams both ways. */
  call(part: ServiceName, request: CallRequest): Promise<CallReply>
  /** An operation's answer, which comes whole, within 4 s. Any status resolves, Unavailable as for a call. */
  ask(part: ServiceName, question: Question): Promise<Answer>
}
