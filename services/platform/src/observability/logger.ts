import { pino, type Logger } from 'pino'
import { safeMessage, safeStack } from '../errors.ts'
import { currentContext } from './context.ts'
import { type Output, standardOutput } from './standard-output.ts'
import { currentTraceId } from './tracing.ts'

export type { Logger }

/** Of an error of PostgreSQL: names of ours. */
const NAMES = ['schema', 'table', 'column', 'constraint', 'routine'] as const

/** Errors carry rows, parameters, addresses and answers in properties of theirs: what is not listed here is left out. */
function errorInLog(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error)
  const { code, cause, ...more } = error as Error & Readonly<Record<string, unknown>>
  return {
    type: error.constructor.name,
    message: safeMessage(error),
    stack: safeStack(error),
    code,
    ...Object.fromEntries(NAMES.map((name) => [name, more[name]])),
    ...(cause !== undefined && { cause: errorInLog(cause) }),
  }
}

/**
 * JSON lines, pretty in a terminal. Holds no lyrics, address, cookie, token or body: log ids and codes. `service` is left
 * out where children name theirs.
 */
export function createLogger(
  options: { service?: string; level: string; pretty: boolean },
  output?: Output,
): Logger {
  const settings = {
    level: options.level,
    base: options.service === undefined ? {} : { service: options.service },
    mixin: () => ({ ...currentContext(), ...currentTraceId() }),
    serializers: { err: errorInLog },
    redact: ['req.headers.cookie', 'req.headers.authorization', 'headers.cookie', 'headers.authorization'],
  }
  if (!options.pretty) return pino(settings, output ?? standardOutput())
  const transport = {
    target: 'pino-pretty',
    options: { ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss.l' },
  }
  return pino({ ...settings, transport })
}
