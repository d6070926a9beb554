import type { Operation } from '@prelude/contracts'
import type { CallRequest } from './port.ts'

/** One operation of another part, and what it is given. */
export interface Question {
  readonly operation: Operation
  readonly params?: Readonly<Record<string, string | number>>
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined
  readonly body?: unknown
}

/** The question as HTTP puts it. */
export function requestOf({ operation, params, query, body }: Question): CallRequest & { body?: string } {
  const path = operation.path.replace(/:(\w+)/g, (_, param: string) =>
    encodeURIComponent(String(params?.[param])),
  )
  const search = new URLSearchParams()
  for (const [key, value] of Object.entries(query ?? {}))
    if (value !== undefined) search.set(key, String(value))
  return {
    method: operation.method,
    path: search.size > 0 ? `${path}?${search}` : path,
    ...(body !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  }
}
