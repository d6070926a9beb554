import { type Code, KIND_STATUS, type Kind, PROBLEMS } from '@prelude/contracts'

export interface FieldError {
  readonly path: string
  readonly message: string
}

/**
 * A refusal or failure with a stable code from the contracts; it is independent of HTTP. Thrown by domain and routes,
 * turned into a problem document in one place.
 */
export class AppError extends Error {
  override readonly name: string = 'AppError'
  readonly code: Code
  readonly kind: Kind
  /** The sentence a person reads. */
  readonly detail: string
  readonly errors: readonly FieldError[] | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(
    code: Code,
    options: {
      detail?: string
      errors?: readonly FieldError[]
      retryAfterSeconds?: number
      cause?: unknown
    } = {},
  ) {
    super(`${code}: ${options.detail ?? PROBLEMS[code].detail}`, { cause: options.cause })
    this.code = code
    this.kind = PROBLEMS[code].kind
    this.detail = options.detail ?? PROBLEMS[code].detail
    this.errors = options.errors
    this.retryAfterSeconds = options.retryAfterSeconds
  }

  get status(): number {
    return KIND_STATUS[this.kind]
  }
}

/** A dependency does not answer: 503 for a person, "try again" for a handler. */
export class Unavailable extends AppError {
  override readonly name: string = 'Unavailable'
  constructor(what: string, cause?: unknown) {
    super('unavailable', { cause, retryAfterSeconds: 2 })
    this.message = `${what} does not answer: ${cause instanceof Error ? safeMessage(cause) : String(cause)}`
  }
}

/** One request to a dependency took too long; whether the dependency is down is not known. */
export class TimedOut extends Unavailable {}

export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** SQLSTATE classes whose messages name tables, columns and limits; those of others may quote a value or a query. */
const NAMES_ONLY = /^(?:08|23|25|28|40|42(?!601)|53|55|57|58|P0|XX)/

/** The message of an error for logs and operators, or what it is about where the message may quote what a person wrote. */
export function safeMessage(error: Error): string {
  if (error instanceof SyntaxError) return 'a text could not be parsed'
  const { code, severity, routine } = error as Error & Readonly<Record<string, unknown>>
  if (severity === undefined || NAMES_ONLY.test(String(code))) return error.message
  return `the database refused a value: ${String(code)} (${String(routine)})`
}

export const safeStack = (error: Error): string | undefined =>
  error.stack?.replace(error.message, () => safeMessage(error))

/** For the operator, who reads it beside what failed. */
export const reasonOf = (error: Error): string => `${error.name}: ${safeMessage(error)}`

export const isCode = (error: unknown, code: Code): error is AppError =>
  error instanceof AppError && error.code === code
