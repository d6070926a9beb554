import { join } from 'node:path'
import { isCode, newId } from '@prelude/platform'
import type { AudioProcess } from './audio-process/audio-process.ts'
import type { BlobStore } from './blobs/index.ts'
import { draftPath } from './domain/file-name.ts'
import { countEnd, endDraft, type EndDeps } from './end-draft.ts'
import { type Generator, NotConnected } from './generator/port.ts'
import { AGAIN_MS } from './send-draft.ts'
import type { Staging } from './staging.ts'
import { change, findDraft, lookAgain } from './store/drafts.ts'

/** A file of 200 MiB over a slow line. */
const FETCH_WITHIN_MS = 30 * 60_000
const PUT_WITHIN_MS = 90_000

export interface FetchDeps extends EndDeps {
  readonly blobs: BlobStore
  readonly staging: Staging
  readonly generator: Generator
  readonly judge: AudioProcess['judge']
}

/**
 * Fetches what the generator made, judges it as an upload and keeps it as an object. While the generator refuses connections its task
 * is looked at again, as before it was done. Errors: those after which it is tried again.
 */
export async function fetchDraft(
  deps: FetchDeps,
  { id, result }: { readonly id: string; readonly result: string },
  signal: AbortSignal,
): Promise<void> {
  const { db, clock, blobs, staging, generator, judge } = deps
  const fail = (error: string): Promise<void> => endDraft(deps, id, ['fetching'], { state: 'failed', error })
  const token = newId()
  try {
    const file = join(await staging.openFolder(token), 'audio')
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(FETCH_WITHIN_MS)])
    const failure = await generator.fetch(result, file, inTime).then(
      () => null,
      (error: Error) => error,
    )
    signal.throwIfAborted()
    if (failure instanceof NotConnected)
      return await db.transaction(async (tx) => lookAgain(tx, id, (await clock.databaseNow(tx)) + AGAIN_MS))
    if (failure) return await fail(failure.message)
    const judged = await judge(file).catch(refusal)
    if (typeof judged === 'string') return await fail(judged)
    const { sizeBytes, sha256, onDisk } = await staging.read(file)
    const draft = await findDraft(db, id)
    if (!draft) return
    const path = draftPath(draft.songId, id, judged.format)
    const object = { path, format: judged.format.name, size_bytes: sizeBytes, sha256 }
    // before its bytes are written, so that they are deleted with the draft
    const isKept = await db.transaction((tx) =>
      change(tx, id, ['fetching'], { ...object, duration_ms: judged.durationMs }),
    )
    if (!isKept) return
    await onDisk
    const { contentType } = judged.format
    const putInTime = AbortSignal.any([signal, AbortSignal.timeout(PUT_WITHIN_MS)])
    await blobs.putFile(path, file, { sizeBytes, contentType, signal: putInTime })
    const ready_at = await clock.databaseNow(db)
    const ready = await db.transaction((tx) =>
      change(tx, id, ['fetching'], { state: 'ready', ready_at, result: null, expected_at: null }),
    )
    if (ready) countEnd(deps, ready)
  } finally {
    await staging.removeFolder(token)
  }
}

function refusal(error: unknown): string {
  if (isCode(error, 'not_audio')) return error.detail
  throw error
}
