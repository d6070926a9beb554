import { pino, type Logger } from 'pino'
import { currentContext } from './context.ts'
import { currentTraceId } from './tracing.ts'

export type { Logger }

/** A tenth of a second each. */
const LAST_TRIES = 10
let tries = Infinity
process.once('exit', () => {
  tries = LAST_TRIES
})

/**
 * Where nobody reads standard output any more but keeps it open, its lines wait; the end of the process waits a second for
 * them, not for ever.
 */
function standardOutput() {
  const output = pino.destination({ fd: process.stdout.fd, retryEAGAIN: () => tries-- > 0 })
  const flush = output.flushSync.bind(output)
  output.flushSync = () => {
    try {
      flush()
    } catch {
      // what nobody reads is lost
    }
  }
  return output
}

/**
 * JSON lines, pretty in a terminal. Holds no lyrics, address, cookie, token or body: log ids and codes. `part` is left
 * out where children name theirs.
 */
export function createLogger(options: { part?: string; level: string; pretty: boolean }): Logger {
  const settings = {
    level: options.level,
    base: options.part === undefined ? {} : { part: options.part },
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
