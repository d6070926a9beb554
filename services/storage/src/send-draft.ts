import { createWriteStream } from 'node:fs'
import { extname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { newId } from '@prelude/platform'
import type { BlobStore } from './blobs/index.ts'
import { expectedAt } from './domain/draft.ts'
import { endDraft, type EndDeps } from './end-draft.ts'
import type { Begun, Generator, GeneratorLoad, GeneratorRequest } from './generator/port.ts'
import type { Staging } from './staging.ts'
import { change, type WaitingDraft } from './store/drafts.ts'

/** Before the next try, where nothing was sent. */
export const AGAIN_MS = 5_000
const RECORD_AGAIN_MS = 1_000

interface SendDeps extends EndDeps {
  readonly blobs: BlobStore
  readonly staging: Staging
  readonly generator: Generator
  readonly loadOf: () => Promise<GeneratorLoad | null>
}

/**
 * Sends one draft, which is recorded as being sent, and records the answer. Once the request may have reached the generator it is
 * never sent again.
 */
export async function sendDraft(deps: SendDeps, draft: WaitingDraft, signal: AbortSignal): Promise<void> {
  const token = newId()
  try {
    const begun = await begin(deps, draft, { token, signal })
    const load = begun.state === 'begun' ? await deps.loadOf() : null
    await recorded(deps, signal, () => record(deps, draft.id, begun, load))
  } finally {
    await deps.staging.removeFolder(token)
  }
}

/** Never rejects. */
async function begin(
  { blobs, staging, generator }: SendDeps,
  { request }: WaitingDraft,
  { token, signal }: { token: string; signal: AbortSignal },
): Promise<Begun> {
  let again: GeneratorRequest['again'] = null
  if (request.again) {
    const { path, ...times } = request.again
    try {
      const bytes = await blobs.get(path)
      if (!bytes) return { state: 'failed', error: 'The audio that a part of is made again is gone.' }
      const file = join(await staging.openFolder(token), `audio${extname(path)}`)
      await pipeline(bytes, createWriteStream(file), { signal })
      again = { file, ...times }
    } catch {
      return { state: 'busy', error: 'The audio that a part of is made again cannot be read.' }
    }
  }
  return generator
    .begin({ ...request, again }, signal)
    .catch((): Begun => ({ state: 'lost', error: 'Prelude stopped while it was being sent.' }))
}

async function record(deps: SendDeps, id: string, begun: Begun, load: GeneratorLoad | null): Promise<void> {
  const { db, clock } = deps
  const from = ['sending', 'removed'] as const
  const now = await clock.databaseNow(db)
  if (begun.state === 'begun') {
    const { taskId: task_id, queuePosition } = begun
    const before = queuePosition === null ? (load?.queued ?? 0) : Math.max(0, queuePosition - 1)
    const expected_at = expectedAt(now, before, load?.meanJobMs ?? null)
    const columns = {
      state: 'queued',
      task_id,
      request: null,
      error: null,
      due_at: now,
      expected_at,
    } as const
    await db.transaction((tx) => change(tx, id, from, columns))
  } else if (begun.state === 'busy') {
    const columns = {
      state: 'waiting',
      at_generator: false,
      error: begun.error,
      due_at: now + AGAIN_MS,
    } as const
    await db.transaction((tx) => change(tx, id, from, columns))
  } else await endDraft(deps, id, from, { state: begun.state, error: begun.error })
}

/** The answer is known here alone, so a database that does not answer is asked again. */
async function recorded(
  { clock, logger }: SendDeps,
  signal: AbortSignal,
  work: () => Promise<void>,
): Promise<void> {
  for (;;) {
    const error = await work().then(
      () => null,
      (failure: unknown) => failure,
    )
    if (error === null) return
    if (signal.aborted) throw error
    logger.warn({ err: error }, 'the answer of the generator is recorded later')
    await clock.wait(RECORD_AGAIN_MS, signal)
  }
}
