import { pino, type Logger } from 'pino'
import { currentContext } from './context.ts'
import { standardOutput } from './standard-output.ts'
import { currentTraceId } from './tracing.ts'

export type { Logger }

/**
 * JSON lines, pretty in a terminal. Holds no lyrics, address, cookie, token or body: log ids and codes. `service` is left
 * out where children name theirs.
 */
export function createLogger(options: { service?: string; level: string; pretty: boolean }): Logger {
  const settings = {
    level: options.level,
    base: options.service === undefined ? {} : { service: options.service },
    mixin: () => ({ ...currentContext(), ...currentTraceId() }),
    redact: ['req.headers.cookie', 'req.headers.authorization', 'headers.cookie', 'headers.authorization'],
  }
  if (!options.pretty) return pino(settings, standardOutput())
  const transport = {
    target: 'pino-pretty',
    options: { ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss.l' },
  }
  return pino({ ...settings, transport })
}
