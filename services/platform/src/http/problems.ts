import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { KIND_STATUS, type Problem } from '@prelude/contracts'
import { STATUS_CODES } from 'node:http'
import { AppError, type FieldError } from '../errors.ts'

/** The problem document of a refusal (RFC 9457). `detail` is the sentence that a person reads. */
export function problemOf(
  error: AppError,
  requestId: string,
  status: number = KIND_STATUS[error.kind],
): Problem {
  const errors = error.errors ?? (error.code === 'invalid_request' ? [] : undefined)
  return {
    type: 'about:blank',
    title: STATUS_CODES[status] ?? 'Error',
    status,
    code: error.code,
    detail: error.detail,
    requestId,
    ...(errors && { errors: [...errors] }),
  }
}

/**
 * The one place where errors become HTTP. Errors that are neither ours nor the framework's are bugs: 500, logged once. `unknown`
 * refuses a request that has no route.
 */
export function registerProblems(app: FastifyInstance, unknown = new AppError('not_found')): void {
  app.setErrorHandler((error: FastifyError | Error, request, reply) =>
    sendProblem(reply, request, refusalFor(error, request.log, request.id)),
  )
  app.setNotFoundHandler((request, reply) => sendProblem(reply, request, unknown))
}

/** The response to an error; a bug and a dependency that is down are logged. */
export function refusalFor(
  error: FastifyError | Error,
  log: FastifyRequest['log'],
  requestId: string,
): AppError {
  const refusal = asAppError(error)
  if (!refusal || refusal.kind === 'internal') log.error({ err: error, requestId }, 'request failed')
  else if (refusal.kind === 'unavailable' || refusal.kind === 'upstream')
    log.warn({ code: refusal.code, reason: refusal.message, requestId }, 'request refused')
  return refusal ?? new AppError('internal_error')
}

export function sendProblem(reply: FastifyReply, request: FastifyRequest, error: AppError): FastifyReply {
  const retryAfter = error.retryAfterSeconds ?? (error.kind === 'unavailable' ? 2 : undefined)
  if (retryAfter !== undefined) void reply.header('retry-after', String(retryAfter))
  return reply
    .code(KIND_STATUS[error.kind])
    .header('content-type', 'application/problem+json; charset=utf-8')
    .send(JSON.stringify(problemOf(error, request.id)))
}

/** The refusal that an error stands for, or undefined when it is a bug. */
export function asAppError(error: FastifyError | Error): AppError | undefined {
  if (error instanceof AppError) return error
  if ('validation' in error && Array.isArray(error.validation)) {
    const context = 'validationContext' in error ? String(error.validationContext) : 'body'
    return invalidRequest(error.validation, context)
  }
  const code = 'code' in error ? error.code : ''
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new AppError('body_too_large')
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return new AppError('unsupported_media_type')
  if (code.startsWith('FST_ERR_CTP_')) return new AppError('malformed_json')
  const status = 'statusCode' in error ? error.statusCode : undefined
  if (status === 400) return new AppError('invalid_request')
  return undefined
}

export const invalidRequest = (issues: readonly Issue[], context: string): AppError =>
  new AppError('invalid_request', { errors: issues.map((issue) => fieldError(issue, context)) })

interface Issue {
  readonly instancePath?: string
  readonly message?: string
  readonly params?: Record<string, unknown>
}

function fieldError(issue: Issue, context: string): FieldError {
  const missing = issue.params?.['missingProperty'] ?? issue.params?.['requiredProperties']
  const path = (issue.instancePath ?? '').split('/').filter(Boolean)
  if (typeof missing === 'string') path.push(missing)
  if (Array.isArray(missing)) path.push(missing.join(', '))
  return {
    path: [...(context === 'body' ? [] : [context]), ...path].join('.'),
    message: issue.message ?? 'is not valid',
  }
}
