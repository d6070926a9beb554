import { type BrowserFacts, preferredLanguage } from '@prelude/contracts'
import type { Clock, Logger } from '@prelude/platform'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { PreferencesClient } from '../api/clients.ts'

/** In which the web app gives the browser's time zone, an IANA name. */
const TIME_ZONE = 'x-time-zone'
const MAX_TIME_ZONE = 64
/** After which the same facts are sent again: another browser may have said others to another instance. */
const KNOWN_MS = 60_000
const MAX_KNOWN = 10_000

/**
 * Passes the language and the time zone of a person's browser to the notifier, for their mails: the zone with every POST, both
 * with `GET /api/me`. No request waits for it, so a person has one call of a kind at a time, and after it only the newest counts.
 */
export function registerBrowserFacts(
  app: FastifyInstance,
  { preferences, clock, logger }: { preferences: PreferencesClient; clock: Clock; logger: Logger },
): void {
  const known = new Map<string, { readonly facts: string; readonly until: number }>()
  /** By the key of a call under way: the newest facts, which the next call passes on; null where there are none. */
  const following = new Map<string, BrowserFacts | null>()
  const pass = async (uid: string, key: string, first: BrowserFacts): Promise<void> => {
    if (following.has(key)) return void following.set(key, first)
    for (let facts: BrowserFacts | null = first; facts; facts = following.get(key) ?? null) {
      following.set(key, null)
      await preferences.note({ params: { uid }, body: facts }).catch((error: unknown) => {
        known.delete(key)
        logger.warn({ err: error }, 'the language and time zone of a browser were not kept')
      })
    }
    following.delete(key)
  }
  app.addHook('preHandler', async (request) => {
    const facts = factsOf(request)
    if (!request.caller || facts === null) return
    const { uid } = request.caller
    const key = `${uid} ${'language' in facts}`
    const last = known.get(key)
    const now = clock.now()
    if (last && last.until > now && last.facts === JSON.stringify(facts)) return
    if (known.size >= MAX_KNOWN) known.clear()
    known.set(key, { facts: JSON.stringify(facts), until: now + KNOWN_MS })
    void pass(uid, key, facts)
  })
}

/** Null: the request says nothing. */
function factsOf({ method, headers, routeOptions }: FastifyRequest): BrowserFacts | null {
  const timeZone = timeZoneIn(headers[TIME_ZONE])
  if (method === 'GET' && routeOptions.url === '/api/me')
    return { language: preferredLanguage(headers['accept-language']), ...timeZone }
  return method === 'POST' && timeZone ? timeZone : null
}

/** Anything but the name of a zone is ignored. */
function timeZoneIn(header: string | string[] | undefined): { timeZone: string } | undefined {
  if (typeof header !== 'string' || header.length > MAX_TIME_ZONE || !/^[A-Za-z]/.test(header))
    return undefined
  try {
    new Intl.DateTimeFormat('en', { timeZone: header }).format()
    return { timeZone: header }
  } catch {
    return undefined
  }
}
