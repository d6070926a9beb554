import type { Logger } from '@prelude/platform'
import type { BlobStore } from './blobs/index.ts'

const WITHIN_MS = 10_000
/** Of no object: a store answers with the headers of its CORS rule also when it has nothing to send. */
const NO_OBJECT = 'no-object'

/**
 * Warns when pages at `origin` may not read audio from the store, whose bucket needs a CORS rule for that. Players then fetch it
 * through the gateway, after a try that fails.
 */
export async function checkCors(
  { publicUrl }: Pick<BlobStore, 'publicUrl'>,
  origin: string,
  logger: Logger,
): Promise<void> {
  try {
    const address = await publicUrl(NO_OBJECT, WITHIN_MS)
    if (address === null) return
    const answer = await fetch(address, { headers: { origin }, signal: AbortSignal.timeout(WITHIN_MS) })
    await answer.body?.cancel()
    const allowed = answer.headers.get('access-control-allow-origin')
    if (allowed === '*' || allowed === origin) return
    logger.warn(
      { store: new URL(address).origin, origin, allowed },
      'no CORS rule of the object store lets pages of PUBLIC_URL read audio: players fetch it through the gateway (docs/operations/deploy.md, "Audio from the store")',
    )
  } catch (error) {
    logger.warn(
      { err: error },
      'BLOBS_PUBLIC_URL cannot be reached from here, so its CORS rule is not checked',
    )
  }
}
