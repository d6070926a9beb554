import type { Readable } from 'node:stream'
import { UPLOAD_SILENCE_MS } from '@prelude/contracts'
import { AppError } from '@prelude/platform'

/** The gateway ends a silent upload first, and answers it; this limit is for a gateway that has gone. */
const SILENCE_MS = UPLOAD_SILENCE_MS + 15_000

/**
 * Ends a request, and its connection, whose sender sends nothing for so long; its reader fails with request_timeout. To be
 * called when the body is being read: until then nothing flows.
 */
export function endWhenSilent(body: Readable): void {
  const timer = setTimeout(() => body.destroy(new AppError('request_timeout')), SILENCE_MS)
  const stop = (): void => clearTimeout(timer)
  body
    .on('data', () => timer.refresh())
    .once('end', stop)
    .once('close', stop)
}
