import { FRESH_SIGN_IN_MS, RECENT_INPUT_HEADER } from '@prelude/contracts'
import { AppError, type Clock, type Database, newId } from '@prelude/platform'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Caller, personOf, type Session } from '../api/caller.ts'
import { isChange } from '../api/public-route.ts'
import type { GatewayConfig } from '../config.ts'
import { sessionCookie } from './session-cookie.ts'
import { type Sessions, UNLOCK_MAX_MS } from './sessions.ts'
import { recordAttempt, recordOutcome } from './store/audit.ts'
import type { FindUser, User } from './store/users.ts'
import type { KeyValue } from '../api/key-value/port.ts'

/** What recording a call in the audit needs. */
export type AuditDeps = { clock: Clock; db: Database; kv: KeyValue }

/** An entry of the audit while its call runs; handlers add what the call was about. */
interface AuditNote {
  readonly id: string
  target: string | null
  detail: string | null
  /** Set when the call succeeds: further ones like it belong to this entry for so long. */
  readonly repeats?: { readonly key: string; readonly forMs: number }
}

declare module 'fastify' {
  interface FastifyRequest {
    audit: AuditNote | null
    /** Read while the limits count, where the route needs it. */
    user: Promise<User | null> | null
  }
}

export const isFresh = ({ clock }: { clock: Clock }, { authenticatedAt }: Session): boolean =>
  clock.now() - authenticatedAt <= FRESH_SIGN_IN_MS

/** Asserts that the caller proved lately who they are, since an open browser may be used by somebody else. Errors: sign_in_again. */
export const freshSignIn =
  (deps: { clock: Clock }) =>
  async (request: FastifyRequest): Promise<void> => {
    if (!isFresh(deps, personOf(request))) throw new AppError('sign_in_again')
  }

/** For the audit: what an operator's call was about, beyond its path. No addresses or texts of people. */
export function noteAudit(request: FastifyRequest, note: { target?: string; detail?: string }): void {
  if (!request.audit) return
  if (note.target !== undefined) request.audit.target = note.target
  if (note.detail !== undefined) request.audit.detail = note.detail
}

/** Of one session, action and target: a player asks for dozens of ranges, and a song at the desk is read again after each change. */
const REPEATS_MS = 10 * 60_000

/**
 * Records what the operator reads, plays or downloads of another person, as `ofOthers` of the route says; repeats within ten
 * minutes have no entry, refused calls have one each.
 */
export async function auditOfOthers(
  deps: AuditDeps,
  request: FastifyRequest,
  target: string | null,
): Promise<void> {
  const { isOperator } = personOf(request)
  const { ofOthers } = request.routeOptions.config.publicRoute ?? {}
  if (!isOperator || ofOthers === undefined) return
  const action = typeof ofOthers === 'string' ? ofOthers : ofOthers(request.query as Record<string, string>)
  await auditOnce(deps, request, { action, target }, REPEATS_MS)
}

/** Unless an entry of this session says the same since `forMs`. */
async function auditOnce(
  deps: AuditDeps,
  request: FastifyRequest,
  about: { action: string; target: string | null },
  forMs: number,
): Promise<void> {
  const key = `audited:${personOf(request).hash}:${about.action}:${encodeURIComponent(String(about.target))}`
  if ((await deps.kv.get(key)) === null)
    await beginAudit(deps, request, { ...about, repeats: { key, forMs } })
}

async function beginAudit(
  { db, clock }: AuditDeps,
  request: FastifyRequest,
  { action, ...about }: { action: string; target: string | null; repeats?: AuditNote['repeats'] },
): Promise<void> {
  const audit = { id: newId(), detail: null, ...about }
  const { uid } = personOf(request)
  await recordAttempt(db, { ...audit, at: clock.now(), uid, action, requestId: request.id })
  request.audit = audit
}

/** Records how an operator's call ended; for a stream, when it begins. */
export async function closeAudit(
  { db, kv, clock }: AuditDeps,
  request: FastifyRequest,
  outcome: string,
): Promise<void> {
  const { audit } = request
  if (!audit) return
  request.audit = null
  const { id, target, detail, repeats } = audit
  if (outcome === 'ok' && repeats) await kv.set(repeats.key, '1', repeats.forMs).catch(() => {}) // then a repeat has an entry too
  await recordOutcome(db, { id, at: clock.now(), outcome, target, detail }).catch((error: unknown) =>
    // the attempt stays in the audit without an outcome; the caller gets the response all the same
    request.log.error({ err: error, audit: id, outcome }, 'outcome not written to the audit'),
  )
}

/** 401 and 403, before any body is read; calls of the operator are recorded in the audit first, also when they are refused. */
export function registerAccess(
  app: FastifyInstance,
  deps: AuditDeps & { config: GatewayConfig; findUser: FindUser; sessions: Sessions },
): void {
  const { config, db, clock, sessions, findUser } = deps
  const cookie = sessionCookie(config)
  app.decorateRequest('caller', null)
  app.decorateRequest('audit', null)
  app.decorateRequest('user', null)
  app.decorateRequest('databaseNow', null)

  app.addHook('onRequest', async (request) => {
    const route = request.routeOptions.config.publicRoute
    if (!route || route.access === 'anyone') return
    request.caller = await callerOf(request).catch((error: unknown) => {
      // a page that needs no session still answers while the session store is down
      if (route.access === 'visitor' && request.method === 'GET') return null
      throw error
    })
    if (route.access === 'visitor') return
    const caller = personOf(request)
    if (route.action !== undefined && caller.isOperator) {
      const { id, uid } = request.params as { id?: string; uid?: string }
      const about = { action: route.action, target: id ?? uid ?? null }
      if (route.auditedOnce && caller.isUnlocked) await auditOnce(deps, request, about, UNLOCK_MAX_MS)
      else await beginAudit(deps, request, about)
    }
    if (route.access !== 'person' && !caller.isOperator) throw new AppError('operator_only')
    if (route.access === 'unlocked' && !caller.isUnlocked) throw new AppError('operator_locked')
    await route.guard?.(request)
    if (route.needsUser) request.user = ahead(findUser(caller.uid))
    if (route.idempotent && 'idempotency-key' in request.headers)
      request.databaseNow = ahead(clock.databaseNow(db))
  })

  app.addHook('onSend', async (request, reply) => {
    const outcome = reply.statusCode < 400 ? 'ok' : (request.problemCode ?? String(reply.statusCode))
    await closeAudit(deps, request, outcome)
  })

  /**
   * Whether a request restarts the idle time of an unlock. A page's background requests do not, so that the unlock of an
   * unattended browser ends; requests with recent input do, and so do those of scripts, which send no `sec-fetch-site`.
   */
  function renewsUnlock({ method, headers, routeOptions }: FastifyRequest): boolean {
    if (headers['sec-fetch-site'] === undefined || headers[RECENT_INPUT_HEADER] !== undefined) return true
    return isChange(method) && routeOptions.config.publicRoute?.access === 'unlocked'
  }

  async function callerOf(request: FastifyRequest): Promise<Caller | null> {
    const id = cookie.read(request)
    const session = id === undefined ? null : await sessions.read(id)
    if (!session) return null
    const isOperator = session.uid === config.operatorUid
    const isUnlocked = isOperator && (await sessions.isUnlocked(session, renewsUnlock(request)))
    return { ...session, isOperator, isUnlocked }
  }
}

/** A failure reaches the handler that awaits it; a request that is refused before awaits nothing. */
function ahead<T>(reading: Promise<T>): Promise<T> {
  reading.catch(() => {})
  return reading
}
