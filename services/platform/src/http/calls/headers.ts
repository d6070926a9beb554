import { currentContext, currentTraceparent } from '../../observability/index.ts'
import type { CallRequest } from './port.ts'
import { signCall } from './identity.ts'

/** Headers of every call between services: its signature, and the ids that join log lines and traces. */
export function callHeaders(secret: string, request: CallRequest): Record<string, string> {
  const current = currentContext()
  const traceparent = currentTraceparent()
  return {
    ...signCall(secret, request.method, request.path),
    ...(current && { 'x-correlation-id': current.correlationId }),
    ...(current?.requestId !== undefined && { 'x-request-id': current.requestId }),
    ...(traceparent !== undefined && { traceparent }),
  }
}

/** Response headers as plain text; of a repeated one, the values joined as HTTP allows. */
export function textHeaders(headers: NodeJS.Dict<string | string[] | number>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : String(value)]],
    ),
  )
}
