import type { Readable } from 'node:stream'
import { AppError } from '@prelude/platform'

/**
 * Ends a request, and its connection, whose sender sends nothing for so long; its reader fails with request_timeout. To be
 * called when the body is being read: until then nothing flows.
 */
export function endWhenSilent(body: Readable, silenceMs: number): void {
  const timer = setTimeout(() => body.destroy(new AppError('request_timeout')), silenceMs)
  const stop = (): void => clearTimeout(timer)
  body
    .on('data', () => timer.refresh())
    .once('end', stop)
    .once('close', stop)
}
