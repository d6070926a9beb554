import type { Code, Problem } from '@prelude/contracts'
import { messages } from '../messages.ts'

/** A refusal of the server, or no answer at all (`status` 0). `message` is the sentence for the person. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem'
  readonly status: number
  readonly code: string
  constructor(status: number, code: string, detail: string) {
    super(detail)
    this.status = status
    this.code = code
  }
}

const listeners = { not_signed_in: new Set<() => void>(), operator_locked: new Set<() => void>() }

const on =
  (code: keyof typeof listeners) =>
  (listener: () => void): (() => void) => {
    listeners[code].add(listener)
    return () => listeners[code].delete(listener)
  }

/** Called when the server says that nobody is signed in any more. */
export const onSignedOut = on('not_signed_in')

/** Called when the server says that the operator's unlock has ended. */
export const onLocked = on('operator_locked')

export async function problemOf(response: Response): Promise<ApiProblem> {
  const problem = (await response.json().catch(() => null)) as Problem | null
  return new ApiProblem(
    response.status,
    problem?.code ?? 'unknown',
    problem?.detail ?? messages.somethingWrong,
  )
}

async function send<T>(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<T> {
  const response = await fetch(path, {
    method,
    headers: {
      // logs and traces follow a request from here by it
      'x-request-id': crypto.randomUUID(),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new ApiProblem(0, 'no_connection', messages.noConnection)
  })
  if (!response.ok) {
    const problem = await problemOf(response)
    if (problem.code === 'not_signed_in' || problem.code === 'operator_locked')
      for (const listener of listeners[problem.code]) listener()
    throw problem
  }
  return (response.status === 204 ? undefined : await response.json()) as T
}

/** The product's API, on this origin. Errors: ApiProblem. */
export const api = {
  get: <T>(path: string) => send<T>('GET', path),
  post: <T>(path: string, body?: unknown, options: { idempotencyKey?: string } = {}) =>
    send<T>(
      'POST',
      path,
      body,
      options.idempotencyKey === undefined ? {} : { 'idempotency-key': options.idempotencyKey },
    ),
}

/** The sentence for a caught error: of its code in the person's language, else the server's own. */
export const sentenceOf = (error: unknown): string =>
  error instanceof ApiProblem
    ? (messages.refusals[error.code as Code] ?? error.message)
    : messages.somethingWrong
