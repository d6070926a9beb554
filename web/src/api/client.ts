import type { Problem } from '@prelude/contracts'
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

const signedOutListeners = new Set<() => void>()

/** Called when the server says that nobody is signed in any more. */
export const onSignedOut = (listener: () => void): (() => void) => {
  signedOutListeners.add(listener)
  return () => signedOutListeners.delete(listener)
}

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
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new ApiProblem(0, 'offline', messages.offline)
  })
  if (!response.ok) {
    const problem = await problemOf(response)
    if (problem.code === 'not_signed_in') for (const listener of signedOutListeners) listener()
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

/** The sentence for a caught error. */
export const sentenceOf = (error: unknown): string =>
  error instanceof ApiProblem ? error.message : messages.somethingWrong
