import { type Code, type Problem, RECENT_INPUT_HEADER } from '@prelude/contracts'
import { messages } from '../messages.ts'
import { hasRecentInput } from '../browser/recent-input.ts'
import { compareClock } from '../browser/server-clock.ts'
import type { Needs, Route, Routes } from './routes.ts'

/** An error response of the API, or no response at all (`status` 0). `message` is the text to show. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem'
  readonly status: number
  readonly code: string
  /** The parts of the request that are at fault, if the server has named them. */
  readonly paths: readonly string[]
  constructor(status: number, code: string, detail: string, paths: readonly string[] = []) {
    super(detail)
    this.status = status
    this.code = code
    this.paths = paths
  }
}

const listeners = { not_signed_in: new Set<() => void>(), operator_locked: new Set<() => void>() }

const on =
  (code: keyof typeof listeners) =>
  (listener: () => void): (() => void) => {
    listeners[code].add(listener)
    return () => listeners[code].delete(listener)
  }

/** Subscribes to responses that say the session has ended. */
export const onSignedOut = on('not_signed_in')

/** For such a response that is no error. */
export function reportSignedOut(): void {
  for (const listener of listeners.not_signed_in) listener()
}

/** Subscribes to responses that say the operator's session is locked. */
export const onLocked = on('operator_locked')

async function problemFrom(response: Response): Promise<ApiProblem> {
  const problem = (await response.json().catch(() => null)) as Problem | null
  return new ApiProblem(
    response.status,
    problem?.code ?? 'unknown',
    problem?.detail ?? messages.somethingWrong,
    problem?.errors?.map(({ path }) => path),
  )
}

const timeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone

/** A request without a response after this time has lost its connection, as on a phone that slept meanwhile. */
const TIMEOUT_MS = 30_000

interface Options {
  /** Cancels the request; the promise then rejects with the signal's reason. */
  readonly signal?: AbortSignal
  readonly idempotencyKey?: string
  readonly timeoutMs?: number
  /** It goes on when the page is closed. */
  readonly keepalive?: boolean
  /** What is not there is undefined, not an error, which the browser would log. */
  readonly lenient?: boolean
  /** What is undefined or empty is left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
}
interface Sent extends Options {
  readonly params?: Readonly<Record<string, string | number>>
  readonly body?: unknown
}
export type CallOptions<R extends Route> = Options & Needs<R>
export type CallArguments<R extends Route> =
  unknown extends Needs<R> ? [options?: Options] : [options: CallOptions<R>]

function addressOf(path: string, { params = {}, query = {} }: Sent): string {
  const filled = path.replaceAll(/:(\w+)/g, (_whole, name: string) => encodeURIComponent(params[name] ?? ''))
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
  return given.length === 0 ? filled : `${filled}?${search}`
}

/** Aborted by the caller or after a time, whichever is first: `AbortSignal.any` is newer than the oldest browsers (docs/decisions/0049). */
function firstOf(caller: AbortSignal | undefined, timeout: AbortSignal): AbortSignal {
  if (!caller || timeout.aborted) return timeout
  const first = new AbortController()
  for (const signal of [caller, timeout])
    signal.addEventListener('abort', () => first.abort(signal.reason), { signal: first.signal })
  if (caller.aborted) first.abort(caller.reason)
  return first.signal
}

async function send<T>(route: Route, options: Sent): Promise<T> {
  const { signal, idempotencyKey, timeoutMs = TIMEOUT_MS, keepalive = false, lenient = false, body } = options
  const [method = '', path = ''] = route.split(' ')
  const disconnected = (): never => {
    signal?.throwIfAborted()
    throw new ApiProblem(0, 'no_connection', messages.noConnection)
  }
  const response = await fetch(addressOf(path, options), {
    method,
    keepalive,
    signal: firstOf(signal, AbortSignal.timeout(timeoutMs)),
    headers: {
      // correlates the request with logs and traces of the servers
      'x-request-id': crypto.randomUUID(),
      // mails give times in it
      ...((method === 'POST' || path === '/api/me') && { 'x-time-zone': timeZone() }),
      ...(hasRecentInput() && { [RECENT_INPUT_HEADER]: '1' }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      ...(lenient && { prefer: 'handling=lenient' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch(disconnected)
  if (response.headers.get('cache-control') === 'no-store') compareClock(response.headers.get('date'))
  if (!response.ok) {
    const problem = await problemFrom(response)
    if (problem.code === 'not_signed_in' || problem.code === 'operator_locked')
      for (const listener of listeners[problem.code]) listener()
    throw problem
  }
  if (response.status === 204) return undefined as T
  const isAudio = response.headers.get('content-type')?.startsWith('audio/') === true
  // a body that is cut off, or no JSON: a captive portal answers instead of the server
  return (await (isAudio ? response.blob() : response.json()).catch(disconnected)) as T
}

/** Calls a route of the API on this origin: `call('GET /api/songs/:id', { params: { id }, signal })`. Errors: ApiProblem. */
export const call = <R extends Route>(
  route: R,
  ...[options]: CallArguments<R>
): Promise<Routes[R]['reply']> => send(route, options ?? {})

/** Too many searches in a minute, or at once. */
const LIMITED = 429

/** Whether the same request may succeed later: no connection, 5xx and 429. */
export const isTemporary = (error: unknown): boolean =>
  error instanceof ApiProblem && (error.status === 0 || error.status === LIMITED || error.status >= 500)

/** The text to show for a caught error: the catalogue's by its code, else the server's. */
export const errorMessage = (error: unknown): string =>
  error instanceof ApiProblem
    ? (messages.problems[error.code as Code] ?? error.message)
    : messages.somethingWrong
