import { type Code, KIND_STATUS, PROBLEMS } from '@prelude/contracts'
import { isChange, type PublicRoute } from '../public-route.ts'

/** All that a call can be refused with, its route's own refusals and those of the hooks before it, by status. */
export function refusalsOf(route: PublicRoute, method: string): Map<number, Code[]> {
  const byStatus = new Map<number, Set<Code>>()
  const add = (status: number, code: Code): void => {
    byStatus.set(status, (byStatus.get(status) ?? new Set<Code>()).add(code))
  }
  for (const code of [...ofHooks(route, method), ...route.refusals])
    add(KIND_STATUS[PROBLEMS[code].kind], code)
  for (const [status, codes] of Object.entries(route.document?.statuses ?? {}))
    for (const code of codes) add(Number(status), code)
  return new Map(
    [...byStatus].toSorted(([one], [other]) => one - other).map(([status, codes]) => [status, [...codes]]),
  )
}

/** In the order in which the hooks refuse. */
function ofHooks(route: PublicRoute, method: string): Code[] {
  const changes = isChange(method)
  const needsPerson = route.access !== 'anyone' && route.access !== 'visitor'
  const counts = route.limit !== 'none' && (route.limit !== undefined || (changes && needsPerson))
  const readsJson = route.body !== undefined && route.body !== 'stream'
  return [
    'uri_too_long',
    'headers_too_large',
    ...when(changes && !route.url.startsWith('/api/webhooks/'), 'cross_site_request'),
    ...when(needsPerson, 'not_signed_in'),
    ...when(route.access === 'operator' || route.access === 'unlocked', 'operator_only'),
    ...when(route.access === 'unlocked', 'operator_locked'),
    ...when(counts, 'too_many_requests'),
    ...when(!route.anyQuery, 'invalid_request', 'invalid_text'),
    ...when(route.idempotent, 'invalid_idempotency_key', 'request_in_progress', 'idempotency_key_reused'),
    // also where no body is read: Fastify refuses a Content-Type that is malformed
    ...when(method !== 'GET' && method !== 'HEAD', 'unsupported_media_type'),
    ...when(readsJson, 'body_too_large', 'request_timeout', 'malformed_json'),
    ...(route.failure === undefined ? (['internal_error', 'unavailable'] as const) : [route.failure]),
  ]
}

const when = (condition: boolean, ...codes: Code[]): Code[] => (condition ? codes : [])
