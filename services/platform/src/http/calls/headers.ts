import { currentContext, currentTraceparent } from '../../observability/index.ts'
import type { ServiceName } from '@prelude/contracts'
import type { Identity } from '../../identity.ts'
import type { CallRequest } from './port.ts'
import { proveCall } from './proof.ts'

/** Headers of every call between services: its own, the proof of who calls, and the ids that join log lines and traces. */
export function callHeaders(
  identity: Identity,
  to: ServiceName,
  request: CallRequest,
  at: number,
): Record<string, string> {
  const current = currentContext()
  const traceparent = currentTraceparent()
  return {
    ...ownHeaders(request),
    ...proveCall(identity, to, request, at),
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

/** A length without a body, copied from another request, would make the server wait for the body. */
function ownHeaders({ headers = {}, body }: CallRequest): Record<string, string> {
  if (body !== undefined) return headers
  const { 'content-length': _length, 'transfer-encoding': _encoding, ...rest } = headers
  return rest
}
